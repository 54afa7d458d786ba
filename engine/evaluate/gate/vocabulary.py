"""The words a program may use: modules and their names, builtins, attributes of values."""

from __future__ import annotations

import builtins
import collections
import re
import warnings
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np


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
    intersect1d intp invert isclose isfinite isin isinf isnan isneginf isposinf isscalar ix_
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

ANNOTATIONS = {"numpy": _words("ndarray generic bool_ dtype object_")}
"""Names that may stand in annotations and as the second argument of `isinstance` only."""

CACHES = _words("functools.lru_cache functools.cache")
COMPILERS = _words("numba.njit")
"""What a whole program's functions may be decorated with besides; rules are compiled by us."""

METHOD_DECORATORS = CACHES | _words("staticmethod classmethod property")
CLASS_DECORATORS = _words("dataclasses.dataclass")
BASES = _words("object typing.NamedTuple enum.Enum enum.IntEnum")
METHODS = _words("__init__ __post_init__ __call__ __lt__ __len__")
"""What a program's classes may be decorated with, derived from and define with underscores."""

LABELS = _words("__all__ __version__ __author__")
"""Names with underscores that a program may set outside functions."""

BUILTINS = _words("""
    abs all any bin bool callable chr complex dict divmod enumerate filter float format frozenset
    getattr hasattr int isinstance iter len list map max min next ord pow print range repr
    reversed round set slice sorted str sum tuple type zip NotImplemented Ellipsis
""") | {
    name
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}

CLOSED_BUILTINS = frozenset(dir(builtins)) - BUILTINS
"""Builtins that a program may neither use nor bind where it would hide that it does."""

HIDDEN = CLOSED_BUILTINS | _words("getattr hasattr isinstance type")
"""Builtins whose names the module level may not bind."""

ITERATORS = _words("""
    iter map filter zip enumerate reversed itertools.count itertools.cycle itertools.chain
""")
"""Calls whose results keep a position."""

SEEDED = _words("random.Random numpy.random.default_rng numpy.random.RandomState")
"""Generators of random numbers that may be made inside a function, with a seed."""

UNUSED = _words("""
    abc argparse contextlib datetime decimal inspect json logging numbers os os.path pathlib
    pprint queue random re secrets string sys textwrap time timeit traceback types uuid warnings
    weakref
""")
"""Modules that do no harm as long as nothing of them is used."""

CHANCE = "makes the answer depend on chance; compute it from the arguments instead"
CLOCK = "makes the answer depend on the clock"
MEMORY = "makes the answer depend on where things happen to lie in memory"
GARBAGE = "hands out whatever was in memory before; use numpy.zeros or numpy.full"
KEEPS = "keeps values from one call to the next"
ONLY_DECORATES = "may only decorate a function"

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
    "numpy.ndarray": GARBAGE,
    "numpy.ma": "keeps masks that are set once for all; use arrays of booleans as masks",
    "numpy.seterr": KEEPS,
    "numpy.seterrcall": KEEPS,
    "functools.cache": ONLY_DECORATES,
    "functools.lru_cache": ONLY_DECORATES,
    "functools.cached_property": KEEPS,
    "functools.singledispatch": KEEPS,
}
"""Names with which a program would be no function of its arguments, and what each one does."""

CHANGES = _words("""
    append appendleft extend extendleft insert remove pop popleft popitem clear sort reverse add
    discard update setdefault fill put itemset partition subtract move_to_end rotate
    difference_update intersection_update symmetric_difference_update
""")
"""Methods that change the value they are called on."""

NO_ATTRIBUTES = _words("""
    format format_map setflags view base ctypes data tofile dump dumps resize getfield setfield
    newbyteorder byteswap flags partition_at device to_device strides maketrans fill_value
    default_factory
""")
KINDS = (
    list, dict, set, frozenset, tuple, str, bytes, int, float, complex, bool, range,
    collections.Counter, collections.deque,
)  # fmt: skip
ATTRIBUTES = (
    frozenset(name for kind in KINDS for name in dir(kind) if not name.startswith("_"))
    | _words("""
        T all any argmax argmin argpartition argsort astype choose clip compress conj
        cumprod cumsum diagonal dot dtype fill flat flatten item itemsize mT max mean min
        nbytes ndim nonzero prod put ravel repeat reshape round searchsorted shape size
        squeeze std sum swapaxes take tobytes tolist trace transpose var
        reduce accumulate outer reduceat from_iterable eps tiny resolution max min args name value
        random randint randrange uniform choice choices shuffle sample gauss normalvariate
        expovariate triangular integers normal standard_normal exponential permutation permuted
        numerator denominator fields new_child maps func keywords type kind itemsize
    """)
) - NO_ATTRIBUTES
"""Attributes of values; a program may also use those of its own classes and of the contract."""

METHODS_OF_VALUES = frozenset(
    name for kind in KINDS for name in ATTRIBUTES if callable(getattr(kind, name, None))
)
"""Those of them that are called; the text of such a method is an address."""

INSIDES = re.compile(
    r"_.*|(gi|cr|ag|f|tb|co)_.*|mro|cell_contents|at|types|register|dispatch|cache_\w+"
    r"|with_traceback|add_note"
)
"""Attributes that lead into the interpreter or keep values; no class may define one either."""

REDUCTIONS = _words("sum prod mean std var min max amin amax any all nansum nanmean nanmax nanmin")
"""NumPy functions whose `where=` only leaves values out."""

FRESH = _words(
    "numpy.zeros numpy.zeros_like numpy.ones numpy.ones_like numpy.full numpy.full_like"
)
"""Functions that make an array filled with known values, for `out=` beside `where=`."""

RAW_KINDS = frozenset("mMO")
"""Kinds of NumPy types that lead to the clock or to addresses."""

MOMENTS = _words("now today")

LONGEST_TYPE = 200
RAW_PART = re.compile(r"(^|[,(<>=|)\d\s])([mMO]8?(\[|,|$)|datetime64|timedelta64|object)")
"""Longer words are not tried, but searched for what begins such a type."""

SHORT_TYPES = _words("m M O")
"""Names of such types that may be meant otherwise; refused as arguments only."""


@lru_cache(maxsize=1024)
def names_raw_type(word: str | bytes) -> bool:
    """Whether NumPy may take a word for a time or for a type of times or of raw objects."""
    text = word.decode("latin-1") if isinstance(word, bytes) else word
    if text.strip().lower() in MOMENTS:
        return True
    if len(text) > LONGEST_TYPE:
        return RAW_PART.search(text) is not None
    import numpy as np  # slow to import

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return bool(RAW_KINDS & {kind.char for kind in _parts(np.dtype(text))})
    except Exception:  # most words are no types
        return False


def _parts(kind: np.dtype[Any]) -> Iterator[np.dtype[Any]]:
    """The simple types that a type is made of."""
    if kind.subdtype is not None:
        yield from _parts(kind.subdtype[0])
    elif kind.fields:
        for part, *_ in kind.fields.values():
            yield from _parts(part)
    else:
        yield kind


def verdict(module: str, name: str) -> tuple[Literal["forbidden", "nondeterministic"], str] | None:
    """Why `module.name` is refused: kind and reason; None when it may be used."""
    full = f"{module}.{name}"
    if impure := IMPURE.get(full) or IMPURE.get(module):
        return "nondeterministic", impure
    if name in MODULES.get(module, ()):
        return None
    return "forbidden", "is not available to programs"
