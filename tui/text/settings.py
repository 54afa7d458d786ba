"""The settings of a run in words."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import asdict

from engine.domain.names import name_variant, short_name
from engine.domain.specs.settings import KnownSetting, RunSpec, Settings, option_name
from engine.domain.text.figures import write_time_span
from engine.domain.text.plain_text import one_line
from tui.text.formatting import short_writer, table

_DEFERRED = {
    "operators": "the method's",
    "states": "the problem's",
    "phases": "as many as fit",
    "design": "the problem's",
    "selection": "the problem's",
    "cascade": "off",
    "advice": "off",
    "prompts": "Preceptor's own",
    "prompt_teacher": "the method's",
    "eval_concurrency": "all cores",
}
"""Who chooses for a setting that is left empty."""

_NO_CHOICE = (("decision_ms", 0.0),)
"""What is filled in where a setting does not apply, as for a problem without a time limit."""

WIDTH = 76
"""Characters of a line of what a setting is for, which is indented by four."""


def title(spec: RunSpec) -> str:
    """Who searches what, in one line."""
    teacher = f", teacher {short_writer(spec.teacher)}" if spec.teacher else ""
    analyzer = f", analyzer {short_writer(spec.analyzer)}" if spec.analyzer else ""
    return one_line(
        f"{name_variant(spec.problem, short=True)}, {spec.label}, seed {spec.seed}, "
        f"writer {short_writer(spec.writer)}{analyzer}{teacher}"
    )


def format_settings(spec: RunSpec) -> str:
    """The settings that differ from their defaults, the problem's options, the caps."""
    changed = [
        (name, value)
        for name, value, usual in _compared(spec.settings)
        if value != usual and (name, value) not in _NO_CHOICE
    ]
    pairs = [
        *(f"{option_name(name)} {value}" for name, value in changed),
        *(f"{short_name(spec.problem.name)}.{key} {value}" for key, value in spec.problem.options),
        *(f"max-{name} {value}" for name, value in _caps(spec)),
        *(f"extra seed {program.name}" for program in spec.extra_seeds),
    ]
    return one_line(f"settings changed from their defaults: {', '.join(pairs) or 'none'}")


def page_settings(spec: RunSpec) -> str:
    """Every named setting beside its default."""
    rows = [
        (option_name(name), format_value(name, value), format_value(name, default))
        for name, value, default in _compared(spec.settings)
    ]
    return table(("setting", "value", "default"), rows)


def page_known(settings: Sequence[KnownSetting]) -> str:
    """Two lines or more a setting: name, value and source, then what it is for and its range."""
    rows = [(one.name, format_value(one.name, one.value), one.source) for one in settings]
    head, *lines = table(("setting", "value", "from"), rows).splitlines()
    texts = [textwrap.fill(f"{one.meaning} ({one.kind})", WIDTH) for one in settings]
    meanings = [textwrap.indent(text, "    ") for text in texts]
    pairs = zip(lines, meanings, strict=True)
    return "\n".join([head, *(line for pair in pairs for line in pair)])


def format_value(name: str, value: object) -> str:
    """A value of a setting in words; of one that is left empty, who chooses for it."""
    if name in ("advice", "tune_child_seconds") and value == -1:
        return "the method's"
    return str(value or _DEFERRED.get(name, value))


def _compared(settings: Settings) -> list[tuple[str, object, object]]:
    usual = Settings()
    names = Settings.__dataclass_fields__
    return [(name, getattr(settings, name), getattr(usual, name)) for name in names]


def _caps(spec: RunSpec) -> list[tuple[str, float | str]]:
    caps = asdict(spec.caps) | {"time": spec.caps.seconds and write_time_span(spec.caps.seconds)}
    del caps["seconds"]
    return [(name, cap) for name, cap in caps.items() if cap is not None]
