"""The one table of keys: what it feeds agrees with it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from textual.binding import Binding, BindingsMap
from textual.dom import DOMNode

from tui.app.app import Preceptor
from tui.screens.boxes import describe_keys
from tui.screens.catalogue import BenchmarksScreen, CatalogueScreen, CatalogueTable, TeachersScreen
from tui.screens.command import MeasureScreen, OutputScreen
from tui.screens.compare import CompareScreen
from tui.screens.forms import LaunchScreen, ResumeScreen
from tui.screens.leaderboard import LeaderboardTable
from tui.screens.panes import PaneScreen
from tui.screens.program import DecisionScreen, ProgramScreen, ReflectionScreen, RolloutScreen
from tui.screens.run import RunScreen
from tui.screens.runs import RunsScreen, RunsTable
from tui.screens.study import MatrixTable, StudyScreen
from tui.widgets import keymap as keys
from tui.widgets.code import DiffPane
from tui.widgets.curve import CurvePlot
from tui.widgets.events import EventsPane
from tui.widgets.form import FormEntry
from tui.widgets.lineage import Lineage
from tui.widgets.pareto import ParetoPlot
from tui.widgets.population import PopulationTable
from tui.widgets.table import RowTable, SortedTable
from tui.widgets.text_pane import TextPane

PAGE = Path(__file__).parents[3] / "docs/keys.md"
NODES: tuple[type[DOMNode], ...] = (
    Preceptor,
    PaneScreen,
    RunScreen,
    ProgramScreen,
    DecisionScreen,
    RolloutScreen,
    OutputScreen,
    CompareScreen,
    TeachersScreen,
    BenchmarksScreen,
    ReflectionScreen,
    RunsScreen,
    StudyScreen,
    RowTable,
    SortedTable,
    MatrixTable,
    PopulationTable,
    RunsTable,
    LeaderboardTable,
    CatalogueTable,
    FormEntry,
    ParetoPlot,
    CurvePlot,
    TextPane,
    DiffPane,
    EventsPane,
    Lineage,
)


SCREENS: dict[type[DOMNode], tuple[type[DOMNode], ...]] = {
    RowTable: (RunScreen, RunsScreen, StudyScreen, CatalogueScreen),
    EventsPane: (RunScreen,),
    TextPane: (PaneScreen,),
    FormEntry: (LaunchScreen, ResumeScreen, MeasureScreen),
}
"""The screens that a widget's keys speak to."""


def own_bindings(node: type[DOMNode]) -> list[Binding]:
    """The bindings that a class adds to those of its bases."""
    return [binding for _, binding in BindingsMap(node.BINDINGS)]


@pytest.mark.parametrize("node", NODES, ids=lambda node: node.__name__)
def test_every_binding_has_an_action_where_it_is_bound(node: type[DOMNode]) -> None:
    for binding in own_bindings(node):
        whose, _, name = binding.action.partition("(")[0].rpartition(".")
        places = {"": (node,), "app": (Preceptor,), "screen": SCREENS.get(node, ())}[whose]
        assert places
        for place in places:
            assert hasattr(place, f"action_{name}"), (place, binding)


def test_every_key_of_the_table_is_bound_somewhere() -> None:
    bound = {(b.key, b.action) for node in NODES for b in own_bindings(node)}
    for key in keys.KEYS:
        wanted = {(b.key, b.action) for _, b in BindingsMap(keys.bindings(key.scope))}
        assert wanted <= bound | wanted & {("ctrl+p", "command_palette")}, key


@pytest.mark.parametrize("scope", keys.scopes())
def test_no_key_has_two_meanings_in_one_place(scope: keys.Scope) -> None:
    words = [word for key in keys.KEYS if key.scope == scope for word in key.keys.split()]
    assert [word for word, times in Counter(words).items() if times > 1] == []


def test_the_help_screen_names_every_key() -> None:
    told = str(describe_keys())
    for key in keys.KEYS:
        assert key.shown in told
        assert key.about in told


def test_help_begins_with_the_keys_of_here() -> None:
    told = str(describe_keys(("a form", "a table")))
    assert told.index("a form") == 0
    assert told.index("a table") < told.index("everywhere")


def test_the_manual_has_the_table_as_it_is() -> None:
    assert keys.document() in PAGE.read_text("utf-8")


@pytest.mark.parametrize(
    "node", [RunScreen, ProgramScreen, RunsScreen, StudyScreen], ids=lambda n: n.__name__
)
@pytest.mark.parametrize("width", [60, 80, 160])
def test_hints_fit_the_line_and_always_name_help_and_leaving(
    node: type[PaneScreen], width: int
) -> None:
    for pane in NODES:
        scopes: tuple[keys.Scope, ...] = (*getattr(pane, "SCOPES", ()), *node.SCOPES, "panes")
        chosen = keys.hints(scopes, width)
        assert keys.measure(chosen) <= width
        always = ["F1 help", "^C quit"] if "a form" in scopes else ["? help", "q quit"]
        assert [key.hint for key in chosen[-2:]] == always
        assert len(chosen) <= width // 9


def test_every_hint_begins_with_keys_of_its_entry() -> None:
    for key in keys.KEYS:
        if key.hint:
            first = key.hint.split()[0]
            assert first[0] in key.shown or first in key.shown, key
