"""`preceptor help`: the pages of the manual, and what a command takes."""

from __future__ import annotations

from typing import Annotated

import typer

from tui.text.streams import put


def complete_topics(incomplete: str) -> list[str]:
    """The topics that there are pages about."""
    from tui.text.manual import titles

    return [topic for topic in titles() if topic.startswith(incomplete)]


def show_help(
    context: typer.Context,
    topic: Annotated[
        str,
        typer.Argument(
            metavar="[TOPIC]", help="A page, or a command.", autocompletion=complete_topics
        ),
    ] = "",
) -> None:
    """Print a page of the manual, or what a command takes; without a topic, list the pages.

    \b
    Examples:
      preceptor help
      preceptor help first-run
      preceptor help run
    """
    from tui.text.formatting import table
    from tui.text.manual import read_page, titles

    known = titles()
    if not topic:
        put(table(("topic", "about"), list(known.items())))
        return
    put(read_page(topic) if topic in known else _command_help(context, topic, known))


def _command_help(context: typer.Context, name: str, topics: dict[str, str]) -> str:
    from problems.errors import UnknownName

    above = context.parent
    assert above is not None
    commands = getattr(above.command, "commands", {})
    if name not in commands:
        raise UnknownName("topic", name, (*topics, *commands))
    command = commands[name]
    with typer.Context(command, info_name=name, parent=above) as inside:
        return str(command.get_help(inside))
