"""Many designs of trees: each as Pinocchio has the robot that is written to URDF."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.pinocchio_tree import PinocchioTree
from modular_dynamics.dynamics import designs as design_rows
from modular_dynamics.dynamics.core_robot import robot_arrays
from modular_dynamics.dynamics.designs import checked_columns, rows_of_designs


@pytest.mark.parametrize("name", ["branched_38dof", "vendor_arm"])
def test_designs_are_robots_written_to_urdf(name, load_robot):
    graph, rng = load_robot(name), np.random.default_rng(0)
    names = [n for n in graph.parameters if n.endswith((" mass", " com x", " origin z", " origin yaw"))]
    chosen = rng.choice(names, min(6, len(names)), replace=False).tolist()
    parameters = {n: graph.parameters[n].value + rng.uniform(0.0, 0.1, 8) for n in chosen}
    q, v, a = rng.uniform(-1.0, 1.0, (3, 8, 5, graph.nq))
    tau = md.inverse_dynamics(graph, q, v, a, parameters=parameters)
    for k in range(8):
        changed = graph.with_parameters({n: column[k] for n, column in parameters.items()})
        peer = PinocchioTree(md.load_urdf(changed.to_urdf()))
        for i in range(5):
            expected = peer.inverse_dynamics(q[k, i], v[k, i], a[k, i])
            assert tau[k, i] == pytest.approx(expected, abs=1e-10 * np.abs(expected).max())


def test_friction_armature_and_springs_that_only_designs_have(load_robot):
    graph, rng = load_robot("four_link"), np.random.default_rng(0)
    joint = graph.joint_names[1]
    parameters = {
        f"joint {joint} {quantity}": [0.0, 2.0] for quantity in ("damping", "armature", "stiffness")
    }
    q, v, a = rng.normal(size=(3, 2, graph.nq))
    tau = md.inverse_dynamics(graph, q, v, a, parameters=parameters, friction="urdf")
    bare = md.inverse_dynamics(graph, q, v, a)
    expected = bare.copy()
    expected[1, 1] += 2.0 * (q[1, 1] + v[1, 1] + a[1, 1])
    assert tau == pytest.approx(expected, rel=1e-12)


def test_errors_name_the_design(load_robot):
    graph = load_robot("four_link")
    mass = next(name for name in graph.parameters if name.endswith(" mass"))
    state = np.zeros((3, 2, 4))
    with pytest.raises(md.ModelError, match=r"design 1: .*mass"):
        md.inverse_dynamics(graph, *state, parameters={mass: [1.0, -1.0]})
    state[0, 1, 2] = np.nan
    with pytest.raises(md.StateError, match=r"design 1: .*finite"):
        md.inverse_dynamics(graph, *state, parameters={mass: [1.0, 2.0]})
    with pytest.raises(md.StateError, match="with parameters of 3 designs"):
        md.inverse_dynamics(graph, *state, parameters={mass: [1.0, 2.0, 3.0]})
    with pytest.raises(md.StateError, match="parameters go without"):
        md.inverse_dynamics(graph, *state, parameters={mass: 1.0}, out=state[0])


@pytest.mark.parametrize("states", [1, 7, 8, 300])
def test_results_do_not_depend_on_threads(states, load_robot):
    graph, rng = load_robot("branched_38dof"), np.random.default_rng(0)
    name = next(name for name in graph.parameters if name.endswith(" origin z"))
    q, v, a = rng.normal(size=(3, 40, states, graph.nq))
    one, two = (
        md.inverse_dynamics(graph, q, v, a, threads=threads, parameters={name: np.linspace(0.0, 0.1, 40)})
        for threads in (1, 4)
    )
    assert np.array_equal(one, two)


def test_one_set_of_numbers_for_all_and_one_state_of_each(load_robot):
    graph, rng = load_robot("four_link"), np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, 20, graph.nq))
    changed = graph.with_parameters({"gravity z": -1.62})
    expected = md.inverse_dynamics(changed, q, v, a)
    for values in (-1.62, [-1.62], np.full(20, -1.62)):
        tau = md.inverse_dynamics(graph, q, v, a, parameters={"gravity z": values})
        assert tau == pytest.approx(expected, rel=1e-12)
    none = np.zeros((0, 5, graph.nq))
    assert md.inverse_dynamics(graph, none, none, none, parameters={"gravity z": -1.62}).shape == none.shape
    none = np.zeros((3, 0, graph.nq))
    columns = {"gravity z": [-1.0, -2.0, -3.0]}
    assert md.inverse_dynamics(graph, none, none, none, parameters=columns).shape == none.shape


def test_floating_bases_have_designs_and_need_a_direction(load_robot):
    graph = load_robot("four_link", floating_base=True)
    rng = np.random.default_rng(0)
    q = np.array([[graph.random_configuration(rng) for _ in range(3)] for _ in range(4)])
    v, a = rng.normal(size=(2, 4, 3, graph.nv))
    masses = [1.0, 1.5, 2.0, 2.5]
    name = [name for name in graph.parameters if name.endswith(" mass")][-1]
    tau = md.inverse_dynamics(graph, q, v, a, parameters={name: masses})
    for k, mass in enumerate(masses):
        expected = md.inverse_dynamics(graph.with_parameters({name: mass}), q[k], v[k], a[k])
        assert tau[k] == pytest.approx(expected, rel=1e-12, abs=1e-11)
    q[2, 1, 3:7] = 0.0
    with pytest.raises(md.StateError, match=r"design 2: row 1: .*quaternion"):
        md.inverse_dynamics(graph, q, v, a, parameters={name: masses})


@pytest.mark.parametrize(("state", "design", "named"), [(1, 3, 1), (3, 1, 1), (None, 2, 2), (2, None, 2)])
def test_the_first_bad_design_is_named_whether_model_or_state(load_robot, state, design, named):
    graph = load_robot("four_link")
    mass = next(name for name in graph.parameters if name.endswith(" mass"))
    masses, rows = np.ones(5), np.zeros((3, 5, 2, graph.nq))
    if design is not None:
        masses[design] = -1.0
    if state is not None:
        rows[2, state, 1, 0] = np.inf
    kind = md.StateError if named == state else md.ModelError
    with pytest.raises(kind, match=f"^design {named}: "):
        md.inverse_dynamics(graph, *rows, parameters={mass: masses})


# Rows of many designs: interpolated where that is exact, else each from a robot changed in full.


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

    return rows_of_designs(checked_columns(graph, parameters), numbers), len(made)


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
    graph, rng = load_robot("branched_38dof"), np.random.default_rng(0)
    names = [name for name in graph.parameters if name.endswith((" mass", " origin x"))][::7]
    parameters = {name: graph.parameters[name].value + rng.uniform(0.0, 0.3, 300) for name in names}
    whole, _ = rows(graph, parameters)
    part, _ = rows(graph, {name: column[100:200] for name, column in parameters.items()})
    assert np.array_equal(part.numbers, whole.numbers[100:200])
