"""The named sets: generated ones, which are always there, and published ones to be imported."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from problems.base import InstanceSet, split_selection
from problems.cvrp.sets.data import CvrpGenerator, Instance, draw
from problems.sets.library import Published

if TYPE_CHECKING:
    from collections.abc import Iterable

    from problems.sets.records import Record

CENTRE50 = CvrpGenerator(50, "centre", (50, 50))
RANDOM50 = CvrpGenerator(50, "random", (30, 80))
RANDOM200 = CvrpGenerator(200, "random", (80, 80))

OWN = {"design": ((7103, 7104), 256), "selection": ((7105, 7106), 256)}
"""Seeds of the two halves, and size, of the sets that searches look at."""

FORMER_SEEDS = (7101, 7102)
CVRP50_SEED = 5_100_050
CVRP200_SEED = 1234
"""The instances of another version of the file in LEHD's repository that `cvrp200-paper` is."""
SEEDS_FROM = 5_200_000
"""The seed of `random-N` is N more."""

GENERATED = (
    InstanceSet(
        "design",
        256,
        "256 random CVRP50, for searches: by turns a centre depot and Q = 50, a random depot and "
        "Q from 30 to 80",
        design=True,
    ),
    InstanceSet("selection", 256, "256 more, to choose a run's winner", design=True),
    InstanceSet("design-64", 64, "64 random CVRP50, once the design set", design=True),
    InstanceSet("cvrp50", 100, "100 random CVRP50, centre depot, Q = 50", "substitute"),
    InstanceSet("cvrp200", 128, "128 random CVRP200, random depot, Q = 80", "substitute"),
    InstanceSet("random-100", 100, "100 random CVRP100, options depot and capacity", "substitute"),
)

GITHUB = "https://raw.githubusercontent.com/CIAM-Group/NCO_code"
LEHD = "single_objective/LEHD/CVRP/data"


def in_vrplib192(record: Record) -> bool:
    """Whether it is one of the paper's CVRPLIB instances: seven sets but for one instance."""
    return (
        re.fullmatch(r"[ABEFMPX]-n\d+-k\d+", record.name) is not None
        and record.name != "P-n55-k8"  # the same customers as P-n55-k7
    )


PUBLISHED = (
    Published(
        InstanceSet("cvrp200-paper", 128, "LEHD's 128 CVRP200, random depot, Q = 80", "likely"),
        "5de5c7dc09eb8262568c85def88cc8f3cecab4287b738cf0755dfd2de31d099d",
        f"{GITHUB}/57b1daa932c92a6b50340292d161ab8aa48d3c28/{LEHD}/vrp200_test_lkh.txt",
    ),
    Published(
        InstanceSet(
            "vrplib", 192, "CVRPLIB's sets A, B, E, F, M, P, X; best known of rounded distances"
        ),
        "bae444dc5bf02bb657e61f311bcaa5b472d74f2d5cf96532afbbd7511f9eb39c",
        f"{GITHUB}/959da4f3b050fb86938d03cedfde73d628855a77/{LEHD}/vrplib_192instances.txt",
        in_vrplib192,
    ),
)


def generated(name: str, custom: CvrpGenerator) -> tuple[Instance, ...]:
    """The instances of a generated set, none for other names.

    `random-N` exists for every N from 2 to 5000; `custom` says how it is drawn, for any N. With
    `selection-` before its name a set is drawn the same way from other seeds.
    """
    if name in OWN:
        return _by_turns(name, *OWN[name])
    like, apart = split_selection(name)
    match like:
        case "design-64":
            one, other = FORMER_SEEDS
            return _numbered(name, _geometries((one + apart, other + apart), 32))
        case "cvrp50":
            return tuple(draw(name, CVRP50_SEED + apart, 100, CENTRE50))
        case "cvrp200":
            return tuple(draw(name, CVRP200_SEED + apart, 128, RANDOM200))
    found = re.fullmatch(r"random-([1-9]\d*)", like)
    if found is None or not 2 <= (customers := int(found[1])) <= 5000:
        return ()
    seed = SEEDS_FROM + customers + apart
    return tuple(draw(name, seed, 100, replace(custom, customers=customers)))


def _by_turns(name: str, seeds: tuple[int, int], size: int) -> tuple[Instance, ...]:
    """Both geometries by turns, so that the first instances stand for all of them."""
    return _numbered(name, zip(*_geometries(seeds, size // 2), strict=True))


def _geometries(seeds: tuple[int, int], size: int) -> tuple[tuple[Instance, ...], ...]:
    """`size` instances of each of two geometries: rules tuned on one do not transfer."""
    kinds = zip(seeds, (CENTRE50, RANDOM50), strict=True)
    return tuple(tuple(draw("", seed, size, kind)) for seed, kind in kinds)


def _numbered(name: str, groups: Iterable[Iterable[Instance]]) -> tuple[Instance, ...]:
    drawn = (one for group in groups for one in group)
    return tuple(replace(one, name=f"{name}/{index}") for index, one in enumerate(drawn))
