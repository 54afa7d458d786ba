"""Titles of panes: set only when they change, because a new title repaints the whole pane."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.content import Content

from engine.domain.text.plain_text import clean

if TYPE_CHECKING:
    from textual.widget import Widget


def retitle(widget: Widget, title: str, subtitle: str = "") -> None:
    """Give a pane its title above and below; foreign text in it is no markup of ours."""
    title = clean(title)
    if widget.border_title != Content(title).markup:
        widget.border_title = Content(title)
    if (widget.border_subtitle or "") != Content(subtitle).markup:
        widget.border_subtitle = Content(subtitle)
