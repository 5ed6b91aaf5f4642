"""Parameters on the pages of docs/ and in the nodes: names, defaults, units, and when they may change."""

import re
from dataclasses import fields

import pytest

from helpers.paths import ROOT
from modular_dynamics_ros.parameters.assembly import AssemblyParameters
from modular_dynamics_ros.parameters.dynamics import DynamicsParameters
from modular_dynamics_ros.parameters.player import PlayerParameters
from modular_dynamics_ros.parameters.reactions import ReactionParameters
from modular_dynamics_ros.parameters.subsystem import SubsystemParameters
from modular_dynamics_ros.parameters.table import Change

pytestmark = pytest.mark.ros  # the player's parameters are read with ROS

TABLES = {
    "nodes": DynamicsParameters,
    "nodes of the player": PlayerParameters,
    "subsystem_node": SubsystemParameters,
    "torso_reaction_node": ReactionParameters,
    "assembly_node": AssemblyParameters,
}
CHANGES = {"unconfigured": Change.UNCONFIGURED, "at run time": Change.ALWAYS, "at the start": Change.NEVER}
ANOTHER = "as of `dynamics_node`"


def rows(page):
    """Cells of the parameters' tables of a page; each row of several parameters is split."""
    name, _, player = page.partition(" of the ")
    tables = re.findall(
        r"^\| name \| default \| unit \| what .*?\|\n\|[-|]+\n(.*?)(?:\n\n|\Z)",
        (ROOT / f"docs/{name}.md").read_text("utf-8"),
        re.M | re.S,
    )
    found = {}
    for row in tables[1 if player else 0].splitlines():
        names, default, unit, *rest = (cell.strip() for cell in re.split(r"(?<!\\)\|", row.strip("|")))
        names = re.findall(r"`(\w+)`", names)
        parts = [default] if len(names) == 1 else default.split(", ")
        units = [unit] if len(names) == 1 else unit.split(", ")
        for k, one in enumerate(names):
            found[one] = parts[min(k, len(parts) - 1)], units[min(k, len(units) - 1)], rest
    return found


def written(value):
    """A default as the pages have it; None: in words."""
    if value in ("", ()):
        return None
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return str(list(value))
    return f"`{value}`" if isinstance(value, str) else f"{value:g}"


@pytest.mark.parametrize("page", TABLES)
def test_the_page_is_true(page):
    table, others = rows(page), {one.name: one for one in fields(DynamicsParameters)}
    parameters = {one.name: one for one in fields(TABLES[page])}
    assert table.keys() == parameters.keys()
    for name, (default, unit, rest) in table.items():
        field = parameters[name]
        if default == ANOTHER:
            assert field.default == others[name].default, name
        elif (expected := written(field.default)) is not None:
            expected = expected.replace("e-09", "e-9")
            assert default in (expected, expected.strip("`")), name
        spec = field.metadata["spec"]
        if spec.unit and default != ANOTHER:
            same = unit.replace("²", "^2").replace(", ", " or ")
            assert same == spec.unit, name
        if len(rest) == 2:  # what, and when it may change
            assert CHANGES[rest[1]] is spec.change, name
