"""Gears with one driver and with several, from the tags to the torques."""

import re

import numpy as np
import pytest

import modular_dynamics as md

LINK = """<link name="{0}"><inertial><origin xyz="0.1 0.02 0"/><mass value="2"/>
  <inertia ixx="0.1" iyy="0.2" izz="0.25" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="{0}" type="continuous"><parent link="{1}"/><child link="{0}"/>
  <origin xyz="0.3 0 0" rpy="0.4 0 0.2"/><axis xyz="0 0 1"/><limit effort="9" velocity="9"/></joint>"""
CHAIN = "".join(LINK.format(name, above) for name, above in zip("abcd", ("base", *"abc"), strict=True))


def robot(tags):
    return (
        f'<robot name="r"><link name="base"/>{CHAIN}\n'
        f'<modular_dynamics version="1">{tags}</modular_dynamics></robot>'
    )


THREE = (
    '<gear joint="d" offset="0.5"><driver joint="a" ratio="2"/> <driver joint="b" ratio="-1"/>'
    '<driver joint="c" ratio="0.25"/></gear>'
)


def test_drivers_add():
    graph = md.load_urdf(robot(THREE))
    (gear,) = graph.gears
    assert (gear.driver, gear.ratio, gear.offset) == ("a", 2.0, 0.5)
    assert gear.drivers == (("a", 2.0), ("b", -1.0), ("c", 0.25))
    q, v, a = np.random.default_rng(0).normal(size=(3, 3))
    ratios = np.array([2.0, -1.0, 0.25])
    W = np.vstack([np.eye(3), ratios])
    assert md.explicit_constraint_jacobian(graph, q) == pytest.approx(W, abs=1e-12)
    result = md.InverseDynamics(graph).solve(q, v, a)
    full = [np.append(q, ratios @ q + 0.5), np.append(v, ratios @ v), np.append(a, ratios @ a)]
    motion = result.coordinates, result.velocities, result.accelerations
    assert np.array(motion) == pytest.approx(np.array(full), abs=1e-12)
    assert result.tau == pytest.approx(W.T @ md.inverse_dynamics(graph.tree, *full), abs=1e-10)
    assert max(result.residual.values()) < 1e-12


@pytest.mark.slow
def test_gears_of_different_length_stand_together():
    graph = md.load_urdf(
        robot(
            '<gear joint="c" driver="a" ratio="3" offset="-1"/>'
            '<gear joint="d"><driver joint="b" ratio="1"/> <driver joint="a" ratio="-1"/></gear>'
        )
    )
    assert graph.independent_joint_names == ("a", "b")
    W = np.array([[1, 0], [0, 1], [3, 0], [-1, 1]])
    assert md.explicit_constraint_jacobian(graph, [0.3, 0.2]) == pytest.approx(W, abs=1e-12)
    coordinates = md.InverseDynamics(graph).solve([0.3, 0.2], [0, 0], [0, 0]).coordinates
    assert coordinates == pytest.approx([0.3, 0.2, -0.1, -0.1], abs=1e-12)


def test_both_forms_and_a_file_say_the_same():
    old = '<gear joint="d" driver="a" ratio="2" offset="0.1"/>'
    new = '<gear joint="d" offset="0.1"> <driver joint="a" ratio="2"/> </gear>'
    assert md.load_urdf(robot(old)).gears == md.load_urdf(robot(new)).gears
    drivers = [{"joint": "a", "ratio": 2}, {"joint": "b", "ratio": -1}, {"joint": "c", "ratio": 0.25}]
    content = {"version": 1, "gears": [{"joint": "d", "offset": 0.5, "drivers": drivers}]}
    assert md.load_urdf(robot(""), content).gears == md.load_urdf(robot(THREE)).gears


@pytest.mark.parametrize(
    ("attributes", "drivers", "message"),
    [
        ("", '<driver ratio="1"/>', "gear of joint 'd' lacks 'joint'"),
        ("", '<driver joint="a" ratio="1"/> <driver joint="a" ratio="1"/>', "names its driver 'a' twice"),
        ('driver="b"', '<driver joint="a" ratio="2"/>', "one of the two"),
    ],
)
def test_bad_drivers_are_rejected(attributes, drivers, message):
    with pytest.raises(md.DescriptionError, match=re.compile(message, re.DOTALL)):
        md.load_urdf(robot(f'<gear joint="d" {attributes}> {drivers} </gear>'))


@pytest.mark.parametrize("drivers", ["a", [], ["a"]])
def test_refused_in_a_file(drivers):
    with pytest.raises(md.PartitionError, match="gear of joint 'd'"):
        md.load_urdf(robot(""), {"version": 1, "gears": [{"joint": "d", "drivers": drivers}]})
