"""The named sets: generated ones, which are always there, and published ones to be imported."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from problems.base import InstanceSet
from problems.cvrp.sets.data import CvrpGenerator, Instance, draw
from problems.errors import UserError
from problems.sets.imports import open_set
from problems.sets.library import Importer, Published, Record, fingerprint
from problems.sets.references import attach
from problems.shared.routing import is_roundable

if TYPE_CHECKING:
    from collections.abc import Iterable

REFERENCES = Path(__file__).parents[1] / "references"


CENTRE50 = CvrpGenerator(50, "centre", (50, 50))
RANDOM50 = CvrpGenerator(50, "random", (30, 80))
RANDOM200 = CvrpGenerator(200, "random", (80, 80))

DESIGN_SEEDS = 7101, 7102
CVRP50_SEED = 5_100_050
CVRP200_SEED = 1234
"""The instances of another version of the file in LEHD's repository that `cvrp200-paper` is."""
SEEDS_FROM = 5_200_000
"""The seed of `random-N` is N more."""

GENERATED = (
    InstanceSet(
        "design",
        64,
        "64 random CVRP50, for searches: 32 with a centre depot and Q = 50, 32 with a random "
        "depot and Q from 30 to 80",
        design=True,
    ),
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


def described() -> tuple[InstanceSet, ...]:
    """All sets by name; `random-N` exists for every N from 2 to 5000."""
    return (*GENERATED, *(published.described for published in PUBLISHED))


def load(
    reader: Importer, name: str, custom: CvrpGenerator, rounded: bool
) -> tuple[Instance, ...]:
    """The instances of a set, or of a file or folder by path, with rounded distances or not.

    `custom` says how `random-N` is drawn, for any N. Raises as `imports.open_set`, and UserError
    for rounded distances in the unit square.
    """
    instances = tuple(_generated(name, custom)) or tuple(map(from_record, open_set(reader, name)))
    if rounded:
        if not all(is_roundable(instance.points) for instance in instances):
            raise UserError(f"{name}: its nodes lie too close together for rounded distances")
        instances = tuple(replace(instance, rounded=True) for instance in instances)
    return attach(REFERENCES, name, instances)


def _generated(name: str, custom: CvrpGenerator) -> Iterable[Instance]:
    """The instances of a generated set, none for other names."""
    match name:
        case "design":
            return _design()
        case "cvrp50":
            return draw(name, CVRP50_SEED, 100, CENTRE50)
        case "cvrp200":
            return draw(name, CVRP200_SEED, 128, RANDOM200)
    found = re.fullmatch(r"random-([1-9]\d*)", name)
    if found is None or not 2 <= (customers := int(found[1])) <= 5000:
        return ()
    return draw(name, SEEDS_FROM + customers, 100, replace(custom, customers=customers))


def _design() -> Iterable[Instance]:
    """Two geometries: rules tuned on one do not transfer."""
    halves = zip(DESIGN_SEEDS, (CENTRE50, RANDOM50), strict=True)
    drawn = (one for seed, recipe in halves for one in draw("design", seed, 32, recipe))
    return (replace(one, name=f"design/{index}") for index, one in enumerate(drawn))


def as_record(instance: Instance) -> Record:
    """An instance as the library keeps it."""
    import numpy as np

    tables = {
        "coords": np.array(instance.points),
        "demands": np.array(instance.demands),
        "capacity": np.array([instance.capacity]),
    }
    return Record(tables, instance.name, instance.reference)


def from_record(record: Record) -> Instance:
    """An instance that the library kept."""
    points = tuple((x, y) for x, y in record.tables["coords"].tolist())
    demands = tuple(record.tables["demands"].tolist())
    capacity = int(record.tables["capacity"][0])
    return Instance(record.name, points, demands, capacity, reference=record.reference)


def content(instances: Iterable[Instance]) -> str:
    """The fingerprint of a set."""
    return fingerprint([as_record(instance) for instance in instances])
