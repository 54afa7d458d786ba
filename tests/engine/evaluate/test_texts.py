"""Text that shows an address is noticed, whatever the program does with it; other text is not."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from engine.evaluate.texts import Texts, makes_text

HEAD = "import numpy as np\nclass Own:\n    x = 1\ndef call(f, x):\n"


def run(line: str, value: object) -> tuple[Any, list[str]]:
    """What the watched program answers, and what was noticed; `f` is a function."""
    texts = Texts()
    namespace: dict[str, Any] = dict(texts.names)
    code = f"{HEAD}    {line}"
    assert makes_text(ast.parse(code))
    exec(compile(texts.watched(code), "<program>", "exec"), namespace)
    return namespace["call"](namespace["call"], value), texts.found


@pytest.mark.parametrize(
    "line",
    [
        "return str(f)",
        "return repr([f])[:3]",
        "return format(f)",
        "return f'{f}'[-1]",
        "return f'{f!r:.5}'",
        "return f'{x}{ {1: (f,)} }'",
        "return '%s' % f",
        "form = '%.9r'; return form % (f,)",
        "return '{}'.format(f)",
        "return '{a}'.format(a=f)",
        "return ''.join(map(str, [f]))",
        "return sorted([f], key=repr)",
        "return str(KeyError(f))",
        "return str(x.conjugate)",
        "return str(iter([x]))",
        "return str(Own())",
        "return np.array([f]).astype(str)",
        "return str(np.array(f))",
        "return str(np.mean)",
        "return np.array([f]).tobytes()",
        "a, b = 'M', '8[s]'; return np.zeros(1, a + b)",
        "a = 'some M8[s]'; return np.zeros(1, dtype=a[5:])",
        "a = ['M', '8']; return list(map(np.zeros, [1], [''.join(a)]))",
        "a = 'xM'; return np.zeros(1, [('x', a[1])])",
        "a = ('i8,', 'O'); return np.zeros(1, a[0] + a[1])",
        "a, b = b'M', b'8'; return np.zeros(1, *[a + b])",
    ],
)
def test_text_that_shows_an_address_or_names_raw_values_is_noticed(line: str) -> None:
    _, found = run(line, 3)
    assert found


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("return f'{x:>5}|{x!r}'", "    3|3"),
        ("return '%d of %d' % (x, x)", "3 of 3"),
        ("return '{:.1f}{a}'.format(x, a=1)", "3.01"),
        ("return ','.join(map(str, [x, None, 'a at 0x1']))", "3,None,a at 0x1"),
        ("return sorted([10, 9, x], key=str)", [10, 3, 9]),
        ("return sum(map(int, str(x)))", 3),
        ("str = abs; return sorted([-1, x], key=str)", [-1, 3]),
        ("return isinstance(f'{x}', str)", True),
        ("return str(np.array([x]).astype(str)[0])", "3"),
        ("return 7 % x + len(str({'a': (1, [x])}))", 16),
        ("return repr(ValueError(x))", "ValueError(3)"),
        ("return format(x, '03d')", "003"),
        ("a = 'int'; return str(np.zeros(1, a + '64').dtype)", "int64"),
        ("return {'a': 1}.get('a') + len(np.zeros(2).tobytes())", 17),
    ],
)
def test_other_text_is_what_it_was(line: str, answer: object) -> None:
    assert run(line, 3) == (answer, [])


@pytest.mark.parametrize(
    "line",
    [
        "return x % 2",
        "return [x][0] ** 2",
        "return max(x, key=abs)",
        "return float('inf')",
        "return getattr(x, 'real')",
        "return x['a']",
        "return np.argsort(x, kind='stable')",
        "return np.einsum('ij->i', x)",
    ],
)
def test_most_programs_make_no_text(line: str) -> None:
    assert not makes_text(ast.parse(HEAD + "    " + line))
