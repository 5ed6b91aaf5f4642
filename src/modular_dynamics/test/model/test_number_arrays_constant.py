"""A model is constant: arrays and mappings are read-only, in copies too; callers keep their own arrays."""

import copy
import pickle
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace

import numpy as np
import pytest

import modular_dynamics as md
from modular_dynamics.model import Body, Inertial, LoopJoint

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
    graph = load_robot("four_link")
    com, links = np.zeros(3), dict(graph.bodies[0].links)
    body = replace(graph.bodies[0], com=com, links=links)
    com[0], links["another"] = 1.0, links[body.name]
    assert body.com.tolist() == [0.0, 0.0, 0.0]
    assert "another" not in body.links
    view = np.zeros((2, 3))[0]
    view.flags.writeable = False
    assert not np.shares_memory(replace(body, com=view).com, view)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda body: replace(body, com=[0, 0]), r"centre of mass of body '.*' is \[0, 0\]; .* shape \(3,\)"),
        (lambda body: replace(body, inertia="a"), "inertia of body '.*' is 'a'"),
        (lambda body: Inertial(1.0, [0, 0, 1j], np.eye(3)), "a centre of mass is"),
        (lambda body: Inertial(1.0, [0, 0, 1], [[1], [2, 3]]), "an inertia is"),
    ],
)
def test_other_shapes_are_refused(load_robot, wrong, message):
    with pytest.raises(md.ModelError, match=message):
        wrong(load_robot("four_link").bodies[0])


def test_copies_are_the_same_model(load_robot):
    graph = load_robot("exoskeleton")
    for other in (copy.deepcopy(graph), pickle.loads(pickle.dumps(graph))):
        assert str(other) == str(graph)
        assert other.subsystems[0].bodies[0] is other.bodies[0]
        assert isinstance(other.loop_joints[0], LoopJoint)
        for ours, theirs in zip(other.bodies, graph.bodies, strict=True):
            assert isinstance(ours, Body)
            assert np.array_equal(ours.inertia, theirs.inertia)
