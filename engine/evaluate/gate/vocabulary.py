"""The words a program may use: modules and their names, builtins, attributes of values."""

from __future__ import annotations

import builtins
import collections
import re


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _public(module: str) -> frozenset[str]:
    return frozenset(name for name in dir(__import__(module)) if not name.startswith("_"))


NUMPY = _words("""
    abs absolute add all allclose amax amin any append arange arccos arccosh arcsin arcsinh
    arctan arctan2 arctanh argmax argmin argpartition argsort argwhere around array array_equal
    array_split asarray ascontiguousarray atleast_1d atleast_2d atleast_3d average bincount
    bitwise_and bitwise_not bitwise_or bitwise_xor block bool bool_ broadcast_arrays
    broadcast_to c_ cbrt ceil choose clip column_stack compress concatenate convolve copy
    copysign copyto corrcoef correlate cos cosh count_nonzero cov cross cumprod cumsum deg2rad
    degrees delete diag diag_indices diagflat diagonal diff digitize divide divmod dot double
    dsplit dstack e ediff1d einsum empty empty_like equal errstate euler_gamma exp exp2
    expand_dims expm1 extract eye fabs fill_diagonal finfo fix flatnonzero flip fliplr flipud
    float16 float32 float64 float_power floor floor_divide fmax fmin fmod full full_like gcd
    geomspace gradient greater greater_equal heaviside histogram histogram2d hsplit hstack hypot
    identity iinfo
    in1d indices inf inner insert int16 int32 int64 int8 int_ integer floating number
    interp intersect1d intp invert isclose isfinite isin isinf isnan isneginf isposinf isscalar ix_
    kron lcm ldexp left_shift less less_equal lexsort linspace log log10 log1p log2 logaddexp
    logaddexp2 logical_and logical_not logical_or logical_xor logspace mask_indices matmul max
    maximum mean median meshgrid mgrid min minimum mod modf moveaxis multiply nan nan_to_num
    nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile
    nanprod nanquantile nanstd nansum nanvar ndim negative newaxis nonzero not_equal ogrid ones
    ones_like outer pad partition percentile pi place poly polyfit polyval positive power prod
    ptp put put_along_axis putmask quantile r_ rad2deg radians ravel ravel_multi_index
    reciprocal remainder repeat reshape right_shift rint roll rollaxis roots rot90 round
    searchsorted select setdiff1d setxor1d shape sign signbit sin sinc sinh size sort split
    sqrt square squeeze stack std subtract sum swapaxes take take_along_axis tan tanh tensordot
    tile trace trapezoid transpose trapz tri tril tril_indices tril_indices_from trim_zeros
    triu triu_indices triu_indices_from true_divide trunc uint16 uint32 uint64 uint8 union1d
    unique unravel_index unwrap vander var vdot vectorize vsplit vstack where zeros zeros_like
""")

MODULES: dict[str, frozenset[str]] = {
    "math": _public("math"),
    "cmath": _public("cmath"),
    "numpy": NUMPY,
    "numpy.linalg": _words("""
        norm det inv solve eig eigh eigvals eigvalsh svd qr cholesky lstsq matrix_power
        matrix_rank multi_dot pinv slogdet trace cond LinAlgError
    """),
    "numpy.fft": _words("fft ifft rfft irfft fft2 ifft2 fftfreq rfftfreq fftshift ifftshift"),
    "numpy.typing": _words("ArrayLike NDArray DTypeLike"),
    "heapq": _public("heapq"),
    "itertools": _public("itertools"),
    "functools": _words("reduce partial cmp_to_key lru_cache cache"),
    "collections": _words("Counter OrderedDict ChainMap defaultdict deque namedtuple"),
    "collections.abc": _words("""
        Callable Collection Container Generator Hashable Iterable Iterator Mapping MutableMapping
        MutableSequence MutableSet Sequence Set Sized
    """),
    "statistics": _words("""
        mean fmean geometric_mean harmonic_mean median median_low median_high mode multimode
        quantiles stdev pstdev variance pvariance StatisticsError
    """),
    "bisect": _public("bisect"),
    "operator": _words("""
        itemgetter add sub mul truediv floordiv mod neg pos pow abs lt le gt ge eq ne and_ or_
        xor not_ truth contains getitem matmul index inv lshift rshift is_ is_not countOf indexOf
    """),
    "copy": _words("copy deepcopy"),
    "typing": _words("""
        Any Callable ClassVar Collection Counter DefaultDict Deque Dict Final FrozenSet Generator
        Hashable Iterable Iterator List Literal Mapping MutableMapping NamedTuple Optional Protocol
        Sequence Set Sized Tuple Type TypeAlias TypeVar Union cast TYPE_CHECKING
    """),
    "dataclasses": _words("dataclass field"),
    "enum": _words("Enum IntEnum"),
    "fractions": _words("Fraction"),
    "__future__": _words("annotations division"),
}
"""What a program may import, and the names of each module that it may use."""

SCIPY: dict[str, frozenset[str]] = {
    "scipy": frozenset(),
    "scipy.optimize": _words("""
        Bounds LinearConstraint NonlinearConstraint OptimizeResult brentq brute curve_fit
        differential_evolution direct dual_annealing fsolve isotonic_regression least_squares
        linear_sum_assignment linprog lsq_linear milp minimize minimize_scalar newton nnls
        quadratic_assignment root root_scalar shgo
    """),
    "scipy.spatial": _words("""
        ConvexHull Delaunay HalfspaceIntersection KDTree QhullError Voronoi cKDTree
        distance_matrix minkowski_distance procrustes
    """),
    "scipy.spatial.distance": _words("cdist pdist squareform euclidean cityblock chebyshev"),
    "scipy.sparse": _words("bmat coo_matrix csc_matrix csr_matrix diags eye hstack kron vstack"),
    "scipy.sparse.csgraph": _words("""
        bellman_ford breadth_first_order connected_components depth_first_order dijkstra
        floyd_warshall laplacian maximum_bipartite_matching maximum_flow
        min_weight_full_bipartite_matching minimum_spanning_tree shortest_path
    """),
    "scipy.special": _words("binom comb erf expit factorial gamma gammaln logsumexp softmax"),
}
"""The same of SciPy, where the contract of a problem of whole solutions says so."""

FOUND = _words("""
    x fun success status message nit nfev jac hess slack con crossover_nit mip_gap
    mip_dual_bound upper lower residual marginals simplices simplex vertices neighbors equations
    volume area points regions point_region ridge_points ridge_vertices find_simplex query
    query_pairs query_ball_point query_ball_tree count_neighbors toarray tocsr tocsc tocoo
    indices indptr nnz row col flow_value flow root converged
""")
"""Attributes of what SciPy's functions return."""

BY_CHANCE = _words("scipy.optimize.differential_evolution scipy.optimize.dual_annealing")
"""Functions that draw numbers, from the generator `rng` or `seed` that they are given."""

ONLY = "may not be imported, only"

TYPES = _words("numpy.ndarray numpy.generic numpy.bool_ numpy.dtype numpy.object_")
"""Names that may stand in annotations and as the second argument of `isinstance` only."""

UNUSED = _words("""
    abc argparse contextlib datetime decimal inspect json logging numbers os os.path pathlib
    pprint queue random re secrets string sys textwrap time timeit traceback types uuid warnings
    weakref
""")
"""Modules that may be imported as long as nothing of them is used."""

CACHES = _words("functools.lru_cache functools.cache")
COMPILERS = _words("numba.njit")
METHOD_DECORATORS = _words("staticmethod classmethod property")
CLASS_DECORATORS = _words("dataclasses.dataclass")
BASES = _words("object typing.NamedTuple enum.Enum enum.IntEnum")
SPECIAL = _words("""
    __init__ __post_init__ __call__ __lt__ __len__ __slots__ __all__ __version__ __author__
""")
"""Names with two underscores that a class or the module level may define."""

BUILTINS = _words("""
    abs all any bin bool callable complex dict divmod enumerate filter float frozenset int iter
    len list map max min next ord pow print range reversed round set slice sorted sum tuple zip
    NotImplemented Ellipsis __name__
""") | {
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}
"""Builtins that a program may use as it likes."""

CLOSED = frozenset(dir(builtins)) - BUILTINS
"""Builtins of no or restricted use; the module level may not bind their names."""

ITERATORS = _words("""
    iter map filter zip enumerate reversed itertools.count itertools.cycle itertools.chain
""")
"""Calls whose results keep a position."""

SEEDED = _words("random.Random numpy.random.default_rng numpy.random.RandomState")
"""Generators of random numbers that may be made inside a function, with a seed."""

CHANCE = "makes the answer depend on chance; compute it from the arguments instead"
CLOCK = "makes the answer depend on the clock"
MEMORY = "makes the answer depend on where things happen to lie in memory"
KEEPS = "keeps values from one call to the next"
TEXT = "makes text of values, which may show where they lie in memory; use numbers and tuples"
DECORATES = "may only decorate a function"

IMPURE = {
    "random": CHANCE,
    "secrets": CHANCE,
    "uuid": CHANCE,
    "numpy.random": CHANCE,
    "statistics.NormalDist": CHANCE,
    "time": CLOCK,
    "datetime": CLOCK,
    "numpy.datetime64": CLOCK,
    "id": MEMORY,
    "hash": MEMORY,
    "str": TEXT,
    "repr": TEXT,
    "format": TEXT,
    "numpy.ndarray": "hands out whatever was in memory before; use numpy.zeros or numpy.full",
    "numpy.ma": "keeps masks that are set once for all; use arrays of booleans as masks",
    "numpy.seterr": KEEPS,
    "numpy.seterrcall": KEEPS,
    "functools.cache": DECORATES,
    "functools.lru_cache": DECORATES,
    "functools.cached_property": KEEPS,
    "functools.singledispatch": KEEPS,
}
"""Names with which a program would be no function of its arguments, and what each one does."""

QUOTED = "takes names in quotes, and is only called"
USES = {
    "getattr": QUOTED,
    "hasattr": QUOTED,
    "isinstance": "is called with a value and types",
    "type": "may only be used in `type(x) is kind`; `isinstance(x, kind)` does the same",
}
"""How builtins of restricted use may be used."""

UNBOUND = USES.keys() | {"print"}
"""Builtins that nothing may hide."""

WRITERS = _words("str repr format")
"""Builtins that make text: for errors and `print` only, and as types."""

CHANGES = _words("""
    append appendleft extend extendleft insert remove pop popleft popitem clear sort reverse add
    discard update setdefault fill put itemset partition subtract move_to_end rotate
    difference_update intersection_update symmetric_difference_update
""")
"""Methods that change the value they are called on."""

KINDS = (
    list, dict, set, frozenset, tuple, int, float, complex, range,
    collections.Counter, collections.deque,
)  # fmt: skip
ATTRIBUTES = frozenset(
    name for kind in KINDS for name in dir(kind) if not name.startswith("_")
) | _words("""
    T all any argmax argmin argpartition argsort astype choose clip compress conj cumprod cumsum
    diagonal dot dtype fill flat flatten item itemsize max mean min nbytes ndim nonzero partition
    prod put ravel repeat reshape round searchsorted shape size squeeze std sum swapaxes take
    tolist trace transpose var reduce accumulate outer reduceat from_iterable eps tiny resolution
    name value new_child maps startswith endswith lower upper split strip
    random randint randrange uniform choice choices shuffle sample gauss normalvariate
    expovariate triangular betavariate gammavariate lognormvariate paretovariate weibullvariate
    getrandbits integers normal standard_normal exponential standard_exponential beta gamma
    lognormal weibull gumbel logistic laplace poisson binomial geometric permutation permuted
""")
"""Attributes of values; a program may also use those of its own classes and of the contract."""

INSIDES = re.compile(
    r"__.*|(gi|cr|ag|f|tb|co)_.*|mro|cell_contents|at|types|register|dispatch|cache_\w+"
    r"|with_traceback|add_note|format|format_map|setflags|view|base|ctypes|data|tofile|dumps?"
    r"|resize|[gs]etfield|newbyteorder|byteswap|flags|device|to_device|strides|maketrans"
    r"|fill_value|default_factory"
)
"""Attributes that lead into the interpreter or to memory, whoever else calls a field like that."""

REDUCTIONS = _words("sum prod mean std var min max amin amax any all nansum nanmean nanmax nanmin")
"""NumPy functions whose `where=` only leaves values out."""

RAW_WORD = re.compile(
    r"(^|[,(<>=|\d\s])([mMO]8?(\[|,|$)|datetime64|timedelta64|object)|^\s*(?i:now|today)\s*$"
)
"""What names a clock or raw objects to NumPy."""


def split_member(path: str) -> tuple[str, str, list[str]]:
    """A path as module, member and the attributes below it; the member may be empty."""
    parts = path.split(".")
    count = len(parts)
    known = MODULES.keys() | SCIPY.keys()
    while count > 1 and ".".join(parts[:count]) not in known:
        count -= 1
    return ".".join(parts[:count]), "".join(parts[count : count + 1]), parts[count + 1 :]
