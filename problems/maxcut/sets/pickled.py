"""Pickled graphs of research code, read without running it: NetworkX, SciPy or NumPy inside."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from problems.errors import UserError
from problems.sets.pickles import ArrayUnpickler, read_pickle

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from problems.sets.files import File

    Matrix = NDArray[np.float64]


class NetworkX:
    """Stands in for `networkx.Graph`; `_adj[vertex][other]` holds the attributes of an edge."""

    _adj: dict[Any, dict[Any, dict[str, Any]]]

    def matrix(self) -> Matrix:
        """The weights, vertices in the order in which they came."""
        import numpy as np

        numbers = {vertex: number for number, vertex in enumerate(self._adj)}
        matrix = np.zeros((len(numbers), len(numbers)))
        for vertex, others in self._adj.items():
            for other, data in others.items():
                matrix[numbers[vertex], numbers[other]] = data.get("weight", 1)
        return matrix


class Sparse:
    """Stands in for `scipy.sparse.csr_matrix`; row `i` has `data[indptr[i]:indptr[i + 1]]`."""

    indptr: NDArray[Any]
    indices: NDArray[Any]
    data: NDArray[Any]

    def matrix(self) -> Matrix:
        """The weights."""
        import numpy as np

        size = len(self.indptr) - 1
        matrix = np.zeros((size, size))
        matrix[np.arange(size).repeat(np.diff(self.indptr)), self.indices] = self.data
        return matrix


class Ignored:
    """Stands in for what else a graph carries with it: views that say nothing new."""

    def __setstate__(self, state: object) -> None:
        """Forget it."""


class GraphUnpickler(ArrayUnpickler):
    """Builds graphs besides arrays."""

    def find_class(self, module: str, name: str) -> Any:
        """Our stand-in for a class. Raises UnpicklingError for any other name."""
        if (module, name) == ("builtins", "dict"):
            return dict
        if module.startswith("networkx."):
            return NetworkX if name == "Graph" else Ignored
        if module in ("scipy.sparse.csr", "scipy.sparse._csr") and name == "csr_matrix":
            return Sparse
        return super().find_class(module, name)


def read_graphs(file: File) -> list[Matrix]:
    """The weights of every graph in a pickled list; none when it is a list of something else.

    Raises UserError for a pickle that is broken or holds more.
    """
    import numpy as np

    found = read_pickle(file, GraphUnpickler)
    if not isinstance(found, list) or not all(
        isinstance(one, NetworkX | Sparse | np.ndarray) for one in found
    ):
        return []
    try:
        matrices = [one if isinstance(one, np.ndarray) else one.matrix() for one in found]
        symmetric = all((matrix == matrix.T).all() for matrix in matrices)
    except (AttributeError, TypeError, ValueError, IndexError) as error:
        raise UserError(f"{file.name}: a graph in it is incomplete ({error})") from error
    if not symmetric:
        raise UserError(f"{file.name}: a graph in it is not symmetric")
    return matrices
