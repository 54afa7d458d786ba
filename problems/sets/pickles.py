"""Pickles of plain arrays, as research code publishes them, read without running their code."""

from __future__ import annotations

import io
import pickle
from typing import TYPE_CHECKING, Any

from problems.errors import UserError

if TYPE_CHECKING:
    from problems.sets.files import File


class ArrayUnpickler(pickle.Unpickler):
    """Builds numbers, texts, containers and NumPy arrays, and refuses to look up anything else."""

    def find_class(self, module: str, name: str) -> Any:
        """What an array is made with. Raises UnpicklingError for any other name."""
        import numpy as np

        made_by = {
            "multiarray": ("_reconstruct", np.zeros(0).__reduce__()[0]),
            "numeric": ("_frombuffer", np.zeros(0).__reduce_ex__(5)[0]),
        }
        allowed = {
            ("numpy", "ndarray"): np.ndarray,
            ("numpy", "dtype"): np.dtype,
            **{
                (f"numpy.{core}.{part}", function): made
                for part, (function, made) in made_by.items()
                for core in ("core", "_core")  # as NumPy called it until 2.0, and since
            },
        }
        if (module, name) not in allowed:
            raise pickle.UnpicklingError(f"it contains a {module}.{name}")
        return allowed[module, name]


def read_pickle(file: File, unpickler: type[ArrayUnpickler] = ArrayUnpickler) -> Any:
    """The value in a pickle file. Raises UserError for one that is broken or holds more."""
    try:
        return unpickler(io.BytesIO(file.content)).load()
    except Exception as error:  # a broken pickle may fail in any way
        raise UserError(f"{file.name}: not a pickle of plain arrays ({error})") from error
