"""The coloured pictures of the manual show the screens as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tui.captures import SCENES, Scene, draw_scene

MOST = 300_000
"""Bytes of one picture; two charts with a colour for each job have 270,000."""


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.name)
async def test_a_picture_is_of_the_screen_as_it_is(
    scene: Scene, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "TEXTUAL_THEME"):
        monkeypatch.delenv(name, raising=False)
    text, svg = await draw_scene(scene, tmp_path / "runs.db")
    assert scene.page.read_text("utf-8") == text, "redraw: python -m tests.tui.captures"
    kept = scene.page.with_suffix(".svg").read_text("utf-8")
    assert len(kept) < MOST
    assert kept == svg, "redraw: python -m tests.tui.captures"
