"""Rows of many designs: interpolated where that is exact, else each from a robot changed in full."""

import numpy as np
import pytest

from modular_dynamics.dynamics import designs as design_rows
from modular_dynamics.dynamics.core_robot import robot_arrays
from modular_dynamics.dynamics.designs import checked_columns, rows_of_designs


def constants_of(graph):
    """All numbers of a robot, as the core reads them."""
    arrays = robot_arrays(graph.tree).values()
    return np.concatenate([array.ravel() for array in arrays if array.dtype == np.float64])


def rows(graph, parameters):
    """The rows, and how many robots were changed in full for them."""
    made = []

    def numbers(robot):
        made.append(robot)
        return constants_of(robot).ravel()

    return rows_of_designs(checked_columns(graph, parameters), numbers, "constants"), len(made)


@pytest.mark.parametrize(
    ("quantities", "few"),
    [((" mass", " origin x", " damping"), True), ((" com x", " mass"), False), ((" origin roll",), False)],
)
def test_each_row_is_that_of_the_robot(quantities, few, load_robot):
    graph, rng = load_robot("branched_38dof"), np.random.default_rng(0)
    names = [name for name in graph.parameters if name.endswith(quantities)][::7]
    parameters = {name: graph.parameters[name].value + rng.uniform(0.0, 0.3, 300) for name in names}
    own, made = rows(graph, parameters)
    assert (made < 100) == few
    for k in range(0, 300, 25):
        exact = constants_of(graph.with_parameters({name: column[k] for name, column in parameters.items()}))
        assert own.numbers[k] == pytest.approx(exact.ravel(), rel=1e-12, abs=1e-14)


def test_parameters_that_do_not_go_straight_are_noticed(load_robot, monkeypatch):
    """Were an angle taken for a factor, its rows would not agree with robots changed in full."""
    monkeypatch.setattr(design_rows, "_is_linear", lambda graph, name: True)
    graph = load_robot("four_link")
    name = f"joint {graph.joint_names[1]} origin roll"
    values = np.linspace(0.0, 1.0, 50)
    own, made = rows(graph, {name: values})
    assert made > 50
    for k in (0, 20, 49):
        exact = constants_of(graph.with_parameters({name: values[k]}))
        assert np.array_equal(own.numbers[k], exact.ravel())


def test_groups_of_equal_values_take_few_robots(load_robot):
    """A catalogue of two centres of mass beside masses that go straight."""
    graph, rng = load_robot("four_link"), np.random.default_rng(0)
    link = next(name for name in graph.parameters if name.endswith(" mass")).removesuffix(" mass")
    parameters = {f"{link} mass": rng.uniform(1, 2, 400), f"{link} com z": rng.choice([0.1, 0.2], 400)}
    own, made = rows(graph, parameters)
    assert made < 30
    for k in range(0, 400, 50):
        exact = constants_of(graph.with_parameters({name: column[k] for name, column in parameters.items()}))
        assert own.numbers[k] == pytest.approx(exact.ravel(), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0])
@pytest.mark.parametrize("good", [0.0, 1.0])
def test_a_number_that_no_robot_has_shares_nothing_with_its_neighbours(bad, good, load_robot):
    """Zero is a mass that a link may have; what is not finite is none."""
    graph = load_robot("four_link")
    name = next(name for name in graph.parameters if name.endswith(" mass"))
    for values in ([bad, good], [good, bad]):
        own, _ = rows(graph, {name: values})
        assert own.errors.keys() == {values.index(bad)}
        exact = constants_of(graph.with_parameters({name: good})).ravel()
        assert own.numbers[values.index(good)] == pytest.approx(exact, rel=1e-12, abs=1e-14)


def test_rows_do_not_depend_on_the_designs_beside_them(load_robot):
    """Nor on those before; and the next designs take fewer robots."""
    graph, rng = load_robot("branched_38dof"), np.random.default_rng(0)
    names = [name for name in graph.parameters if name.endswith((" mass", " origin x"))][::7]
    parameters = {name: graph.parameters[name].value + rng.uniform(0.0, 0.3, 300) for name in names}
    whole, made = rows(graph, parameters)
    some = {name: column[100:200] for name, column in parameters.items()}
    part, made_later = rows(graph, some)
    assert np.array_equal(part.numbers, whole.numbers[100:200])
    assert made_later < 5 < made
    fresh, _ = rows(
        load_robot("branched_38dof"), {name: column[100:200] for name, column in parameters.items()}
    )
    assert np.array_equal(fresh.numbers, part.numbers)
