"""Where a network runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch

from problems.errors import UserError
from teachers.device import chosen_device, is_quick_in_bfloat16

if TYPE_CHECKING:
    from collections.abc import Mapping


def test_a_device_that_is_not_there_is_refused() -> None:
    assert chosen_device("cpu") == torch.device("cpu")
    with pytest.raises(UserError, match="use auto or cpu"):
        chosen_device("meta:nowhere")


@pytest.mark.parametrize(
    ("able", "quick"),
    [
        ({}, False),
        ({"avx2": True, "avx512_bf16": False, "amx_bf16": False}, False),
        ({"avx512_bf16": True}, True),
        ({"amx_bf16": True}, True),
    ],
)
def test_a_processor_without_instructions_for_it_is_slow_in_bfloat16(
    able: Mapping[str, bool], quick: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: able)
    assert is_quick_in_bfloat16(torch.device("cpu")) is quick
    assert is_quick_in_bfloat16(torch.device("cuda"))
