"""Recorded quantities: nothing changes by itself, and a changed number or refusal is found and named."""

import numpy as np
import pytest

from benchmark import quantities
from benchmark import recorded_quantities as command
from helpers.paths import ROBOTS

pytestmark = pytest.mark.slow  # all functions of trees and loops
#: Quantities that these robots do not have, or that are zero.
ZERO = {"friction coefficients", "loops: tensions", "loops: springs", "loops: offset of the regressor"}
ZERO |= {"loops: reactions by rules"}
TABLES = ("TREE", "LOOP", "TREE_ROWS", "LOOP_ROWS")


@pytest.fixture
def file(tmp_path, monkeypatch):
    """A record of a tree and of a robot with a loop."""
    texts = {name: (ROBOTS / f"{name}.urdf").read_text() for name in ("four_link", "four_bar")}
    listed = [command.Robot("urdf", name, text) for name, text in texts.items()]
    monkeypatch.setattr(command, "robots", lambda folders: listed)
    path = tmp_path / "before"
    assert command.main(["record", str(path)]) == 0
    return path


def compared(path, capsys):
    """Exit status, names of all quantities, and of those that changed."""
    capsys.readouterr()
    status = command.main(["compare", str(path)])
    lines = capsys.readouterr().out.splitlines()
    rows = [line.split("│")[1].strip() for line in lines if line.count("│") > 5]
    changed = [line.split(": ", 1)[1].rsplit(": ", 1)[0] for line in lines if line.startswith("four_")]
    return status, set(rows), set(changed)


def test_what_did_not_change(file, capsys):
    status, rows, changed = compared(file, capsys)
    assert (status, changed) == (0, set())
    batches = {f"batch: {name}" for name in quantities.TREE_ROWS | quantities.LOOP_ROWS}
    assert rows == {*quantities.TREE, *quantities.LOOP} | batches


def test_one_mass_is_found(file, capsys, monkeypatch):
    """A part in 1e9 of it: in what depends on it, and not in kinematics."""

    def changed(*given, load=quantities.load):
        graph = load(*given)[0]
        name = [name for name in graph.parameters if name.endswith(" mass")][-1]
        graph = graph.with_parameters({name: graph.parameters[name].value * (1.0 + 1e-9)})
        return graph, graph.tree

    monkeypatch.setattr(quantities, "load", changed)
    status, _, found = compared(file, capsys)
    assert status == 1
    assert {"torques", "mass matrix", "accelerations", "d torque/d q", "momentum", "loops: torques"} <= found
    assert not {"poses", "jacobian", "loops: coordinates", "batch: velocities"} & found


def test_every_quantity_can_fail(file, capsys, monkeypatch):
    """All results a thousandth larger: found in all but those that are zero for these robots."""

    def larger(compute):
        return lambda *given: np.asarray(compute(*given)) * 1.001

    for table in TABLES:
        is_batch = table.endswith("ROWS")
        wrong = {
            name: larger(one) if is_batch else (one[0], larger(one[1]))
            for name, one in getattr(quantities, table).items()
        }
        monkeypatch.setattr(quantities, table, wrong)
    status, rows, changed = compared(file, capsys)
    assert status == 1
    assert rows - changed == ZERO


@pytest.mark.parametrize("table", TABLES[:2])
def test_what_refuses_or_is_missing(file, capsys, monkeypatch, table):
    first, second, *_ = rest = dict(getattr(quantities, table))
    del rest[first]
    rest[second] = ("torque", lambda graph, state: 1 / 0)
    batches = dict.fromkeys(
        getattr(quantities, f"{table}_ROWS").keys() - {first, second}, lambda *given: 1 / 0
    )
    monkeypatch.setattr(quantities, table, rest)
    monkeypatch.setattr(quantities, f"{table}_ROWS", batches)
    status, _, changed = compared(file, capsys)
    assert status == 1
    assert {first, second, *(f"batch: {name}" for name in batches)} <= changed


def test_value_where_there_was_an_error(tmp_path, capsys, monkeypatch):
    text = (ROBOTS / "four_link.urdf").read_text()
    monkeypatch.setattr(command, "robots", lambda folders: [command.Robot("urdf", "four_link", text)])
    with monkeypatch.context() as patched:
        patched.setitem(quantities.TREE, "gravity", ("torque", lambda graph, state: 1 / 0))
        command.main(["record", str(tmp_path / "before")])
    capsys.readouterr()
    assert command.main(["compare", str(tmp_path / "before")]) == 1
    line = "four_link: gravity: was ZeroDivisionError, is a value"
    assert line in capsys.readouterr().out.splitlines()
