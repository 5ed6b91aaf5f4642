"""What is no real number is refused wherever states are passed; NumPy alone would convert some of it."""

import copy
import pickle
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from fractions import Fraction

import numpy as np
import pytest

import modular_dynamics as md
from modular_dynamics.model import Inertial
from modular_dynamics.model.number_arrays import number_array, real_numbers

GOOD = np.zeros(3)
NOT_REAL = {
    "str": ["1", "2", "3"],
    "bytes": np.array([b"1"] * 3),
    "datetime64": np.array(["2001-01-01"] * 3, "M8[D]"),
    "timedelta64": np.ones(3, "m8[s]"),
    "complex": np.ones(3, complex),
    "object": [Fraction(1, 2), None, 1.0],
    "void": np.zeros(3, [("angle", float)]),
    "inhomogeneous": [[1.0], [1.0, 2.0], 3.0],
}


@pytest.mark.parametrize("kind", NOT_REAL)
def test_what_is_no_real_number_is_named(kind):
    with pytest.raises(md.StateError, match=rf"^q is not an array of numbers: .*{kind}"):
        number_array("q", NOT_REAL[kind])


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ">f8", "longdouble", "i1", "u8", "?"])
def test_real_numbers_of_all_sizes_are_taken(dtype):
    given = np.array([[0, 1], [1, 0]], dtype)[:, ::-1]
    assert real_numbers("q", given) is given
    taken = number_array("q", given)
    assert (taken.dtype, taken.flags.c_contiguous, taken.tolist()) == (np.float64, True, [[1, 0], [0, 1]])


#: Calls with a tree, the same robot with its loop, and three values, all of which must be numbers.
CALLS = {
    "inverse_dynamics": lambda tree, loop, bad: md.inverse_dynamics(tree, bad, GOOD, GOOD),
    "batch": lambda tree, loop, bad: md.inverse_dynamics(tree, [GOOD], [bad], [GOOD]),
    "wrench": lambda tree, loop, bad: md.inverse_dynamics(
        tree, GOOD, GOOD, GOOD, external_wrenches={tree.bodies[-1].name: np.resize(bad, 6)}
    ),
    "hybrid": lambda tree, loop, bad: md.hybrid_dynamics(tree, GOOD, GOOD, GOOD, bad, []),
    "loop": lambda tree, loop, bad: md.InverseDynamics(loop).solve(bad[:1], [0.0], [0.0]),
    "guess": lambda tree, loop, bad: md.close_loops(loop, [0.0], bad),
    "assemble": lambda tree, loop, bad: md.assemble(loop, bad),
    "integrate": lambda tree, loop, bad: tree.integrate(bad, GOOD),
    "dt": lambda tree, loop, bad: tree.integrate(GOOD, GOOD, bad[0]),
    "unpack": lambda tree, loop, bad: tree.unpack(bad),
    "pack": lambda tree, loop, bad: tree.pack({"J1": bad[0]}, others=GOOD),
    "pack others": lambda tree, loop, bad: tree.pack({"J1": 0.0}, others=bad),
    "order": lambda tree, loop, bad: md.joint_order.from_names(tree, tree.joint_names).from_q(bad),
    "order, others": lambda tree, loop, bad: md.joint_order.from_names(tree, ["J1"]).from_q(
        [0.0], others=bad
    ),
    "gravity": lambda tree, loop, bad: md.load_urdf(loop.urdf, gravity=bad),
    "times": lambda tree, loop, bad: md.simulate(loop, [0.3], [0.0], None, 9.0, times=bad),
}


@pytest.mark.parametrize("call", CALLS)
def test_functions_that_take_numbers_refuse_text_and_dates(load_robot, call):
    loop = load_robot("four_bar")
    for kind in ("str", "datetime64", "timedelta64"):
        with pytest.raises(md.StateError, match="number"):
            CALLS[call](loop.tree, loop, NOT_REAL[kind])


# A model is constant: arrays and mappings are read-only, in copies too; callers keep their own arrays.

ROBOTS = ["branched_38dof", "vendor_arm", "charmie", "charmie_torso", "exoskeleton", "crane"]


def parts_of(value, path="graph"):
    """Each array and mapping that can be reached from a value, with the path to it."""
    if isinstance(value, np.ndarray | Mapping):
        yield path, value
    if is_dataclass(value):
        for field in fields(value):
            yield from parts_of(getattr(value, field.name), f"{path}.{field.name}")
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield from parts_of(item, f"{path}[{key!r}]")
    elif isinstance(value, tuple):
        for k, item in enumerate(value):
            yield from parts_of(item, f"{path}[{k}]")
    else:
        assert not isinstance(value, list | set | dict), path


def same(graph):
    return graph


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize(
    "copied", [same, copy.copy, copy.deepcopy, replace, lambda graph: pickle.loads(pickle.dumps(graph))]
)
def test_nothing_can_be_written_to(load_robot, name, copied):
    graph = copied(load_robot(name))
    found = list(parts_of(graph))
    assert len(found) > 4 * len(graph.joints)
    for path, value in found:
        if isinstance(value, np.ndarray):
            assert not value.flags.writeable, path
        else:
            assert not hasattr(value, "__setitem__"), path
    with pytest.raises(ValueError, match=r"read-only"):
        graph.bodies[0].com[0] = 1.0


def test_nothing_that_is_kept_from_a_first_use_can_be_written_to(load_robot):
    graph = load_robot("exoskeleton", floating_base=True).with_payload("body_9", mass=1.0)
    limits = "position_limits", "velocity_limits", "effort_limits"
    kept = *limits, "coordinate_layout", "parameters", "payloads"
    found = [part for name in kept for part in parts_of(getattr(graph, name), name)]
    assert len(found) > 8
    for path, value in found:
        if isinstance(value, np.ndarray):
            assert not value.flags.writeable, path
        else:
            assert not hasattr(value, "__setitem__"), path


def test_an_array_of_the_callers_own_is_copied(load_robot):
    body = load_robot("four_link").bodies[0]
    com, links = np.zeros(3), dict(body.links)
    inertial, body = Inertial(1.0, com, np.eye(3)), replace(body, links=links)
    com[0], links["another"] = 1.0, links[body.name]
    assert inertial.com.tolist() == [0.0, 0.0, 0.0]
    assert "another" not in body.links
    view = np.zeros((2, 3))[0]
    view.flags.writeable = False
    assert not np.shares_memory(Inertial(1.0, view, np.eye(3)).com, view)


@pytest.mark.parametrize(
    ("com", "inertia", "message"),
    [
        ([0, 0], np.eye(3), r"a centre of mass is \[0, 0\]; numbers of the shape \(3,\) are needed"),
        ([0, 0, 1j], np.eye(3), "a centre of mass is"),
        ([0, 0, 1], "a", "an inertia is 'a'"),
        ([0, 0, 1], [[1], [2, 3]], "an inertia is"),
    ],
)
def test_other_shapes_are_refused(com, inertia, message):
    with pytest.raises(md.ModelError, match=message):
        Inertial(1.0, com, inertia)
