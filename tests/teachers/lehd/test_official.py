"""The published layout: what is imported and refused, and that it computes the same scores."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

import problems
import teachers
from problems import ProblemRef
from problems.errors import UserError
from teachers.conformance import decisions
from teachers.family import Learned
from teachers.training.official_layouts import import_official

WIDTH = 128


def layout(columns: int) -> dict[str, Tensor]:
    """Untrained weights under the published names."""
    rng = torch.Generator().manual_seed(0)

    def weights(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=rng) / math.sqrt(shape[-1])

    def linear(name: str, inputs: int, outputs: int) -> dict[str, Tensor]:
        return {f"{name}.weight": weights(outputs, inputs), f"{name}.bias": weights(outputs)}

    found = linear("encoder.embedding", 1 + columns, WIDTH)
    for layer in ("encoder.layers.0", *(f"decoder.layers.{i}" for i in range(6))):
        found |= {f"{layer}.{w}.weight": weights(WIDTH, WIDTH) for w in ("Wq", "Wk", "Wv")}
        found |= linear(f"{layer}.multi_head_combine", WIDTH, WIDTH)
        found |= linear(f"{layer}.feedForward.W1", WIDTH, 4 * WIDTH)
        found |= linear(f"{layer}.feedForward.W2", 4 * WIDTH, WIDTH)
    for end in ("first", "last"):
        found |= linear(f"decoder.embedding_{end}_node", WIDTH + columns - 1, WIDTH)
    found |= linear("decoder.Linear_final", WIDTH, columns)
    return found | (linear("decoder.k_1", WIDTH, WIDTH) if columns == 1 else {})


def checkpoint(columns: int, file: Path) -> Path:
    """A file as the published training writes it, optimizer and record included."""
    parameter = torch.nn.Parameter(torch.zeros(1))
    adam = torch.optim.Adam([parameter])
    schedule = torch.optim.lr_scheduler.MultiStepLR(adam, [1])
    saved: dict[str, Any] = {
        "epoch": 150,
        "model_state_dict": layout(columns),
        "optimizer_state_dict": adam.state_dict(),
        "scheduler_state_dict": schedule.state_dict(),
        "result_log": ({"train_loss"}, {"train_loss": [[1, 0.5]]}),
    }
    torch.save(saved, file)
    return file


@pytest.mark.parametrize(("problem", "columns"), [("tsp", 1), ("cvrp", 2)])
def test_a_file_in_the_published_layout_becomes_a_teacher(
    problem: str, columns: int, tmp_path: Path
) -> None:
    header = import_official(checkpoint(columns, tmp_path / "checkpoint-40.pt"))
    assert header.name == f"lehd-{problem}-checkpoint-40"
    teacher = teachers.load(header.name, ProblemRef(problem), "cpu")
    task = problems.load(problem)
    found = teacher.verdicts(decisions(task, task.load("design")[:1]))
    assert all(one.scores for one in found)


def published_layer(weights: dict[str, Tensor], layer: str, nodes: Tensor) -> Tensor:
    """One layer as it is published, written down once more; `nodes` [N, width]."""

    def linear(name: str, values: Tensor) -> Tensor:
        key = f"{layer}.{name}"
        return values @ weights[f"{key}.weight"].T + weights.get(f"{key}.bias", torch.zeros(1))

    parts = [linear(w, nodes).view(-1, 8, 16).transpose(0, 1) for w in ("Wq", "Wk", "Wv")]
    share = (parts[0] @ parts[1].transpose(1, 2) / 4).softmax(-1)
    nodes = nodes + linear("multi_head_combine", (share @ parts[2]).transpose(0, 1).flatten(1))
    return nodes + linear("feedForward.W2", linear("feedForward.W1", nodes).relu())


def test_an_imported_network_computes_what_the_published_one_does(tmp_path: Path) -> None:
    header = import_official(checkpoint(1, tmp_path / "net.pt"))
    teacher = teachers.load(header.name, ProblemRef("tsp"), "cpu")
    assert isinstance(teacher, Learned)
    task = problems.load("tsp")
    decision = decisions(task, task.load("tsp9")[:1], each=4)[1]
    weights, state = layout(1), decision.state
    places = torch.tensor(state.instance.points)
    places = (places - places.min()) / (places.max() - places.min())
    nodes = places[[0, state.current, *state.unvisited]].float()

    def linear(name: str, values: Tensor) -> Tensor:
        return values @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]

    nodes = published_layer(weights, "encoder.layers.0", linear("encoder.embedding", nodes))
    ends = [
        linear(f"decoder.embedding_{e}_node", nodes[i]) for i, e in enumerate(("first", "last"))
    ]
    nodes = torch.cat([torch.stack(ends), nodes[2:]])
    for index in range(6):
        nodes = published_layer(weights, f"decoder.layers.{index}", nodes)
    expected = linear("decoder.Linear_final", nodes)[2:, 0]
    scores = teacher.verdicts([decision])[0].scores
    assert scores == pytest.approx(expected.tolist(), rel=1e-3, abs=1e-3)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda table: table.pop("decoder.Linear_final.bias"), "1 tensors differ"),
        (lambda table: table.pop("encoder.layers.0.Wk.weight"), "the projections of"),
        (
            lambda table: table.update(other=torch.zeros(2)),
            "1 tensors differ, the first is 'other'",
        ),
    ],
)
def test_another_layout_is_refused_in_one_line(  # type: ignore[no-untyped-def]
    change, reason: str, tmp_path: Path
) -> None:
    table = layout(2)
    change(table)
    torch.save({"model_state_dict": table}, tmp_path / "net.pt")
    with pytest.raises(UserError, match=rf"matches no known layout: .*LEHD \({reason}") as told:
        import_official(tmp_path / "net.pt")
    assert "\n" not in str(told.value)
