"""What stands for a tuple that a compiled program makes: laid out as `arguments.as_array` does it.

It is read-only by its type, and `checks` knows it by its layout.
"""

# mypy: disable-error-code="no-untyped-call"
# (numba has few annotations)

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numba import types
from numba.core.imputils import impl_ret_borrowed
from numba.extending import intrinsic
from numba.np.numpy_support import as_dtype

if TYPE_CHECKING:
    from collections.abc import Callable


def _type_sealed(_: Any, items: Any) -> Any:
    """The same array, read-only by its type."""

    def write(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return impl_ret_borrowed(context, builder, signature.return_type, arguments[0])

    sealed = items.copy(readonly=True)
    return sealed(items), write


_sealed: Any = intrinsic(_type_sealed)


def choose_frozen(items: Any) -> Callable[..., Any] | None:
    """How a tuple is made of such items, numbers or tuples of them; None where it cannot be."""
    if isinstance(items, types.Array):
        return (lambda items: items) if items.layout == "A" and not items.mutable else None
    if not isinstance(items, types.List):
        return None
    if isinstance(items.dtype, types.Integer | types.Float | types.Boolean):
        return _make_line(as_dtype(items.dtype))
    if isinstance(items.dtype, types.Array) and items.dtype.ndim == 1 and not items.dtype.mutable:
        return _make_rows(as_dtype(items.dtype.dtype))
    return None


def _make_line(kind: Any) -> Callable[..., Any]:
    def line(items: Any) -> Any:
        spaced = np.zeros((len(items), 2), kind)
        for place in range(len(items)):
            spaced[place, 0] = items[place]
        return _sealed(spaced[:, 0])

    return line


def _make_rows(kind: Any) -> Callable[..., Any]:
    """Raises ValueError in compiled code for no rows, and for rows of several lengths."""

    def rows(items: Any) -> Any:
        if len(items) == 0:
            raise ValueError
        spaced = np.zeros((len(items), len(items[0]), 2), kind)
        for row in range(len(items)):
            if len(items[row]) != len(items[0]):
                raise ValueError
            for place in range(len(items[0])):
                spaced[row, place, 0] = items[row][place]
        return _sealed(spaced[:, :, 0])

    return rows
