"""`preceptor`, `python -m preceptor`: Ctrl-C ends quietly, however early it comes."""

from __future__ import annotations

import sys

INTERRUPTED = 130
"""Exit code after Ctrl-C."""


def main() -> None:
    """Import the command line, which takes a while, and run it."""
    try:
        from tui.commands.viewing import collect_less

        collect_less()
        from tui.cli import main as run_command

        run_command()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
