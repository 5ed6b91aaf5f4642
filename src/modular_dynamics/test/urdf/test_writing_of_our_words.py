"""Our tags as text: they say what the graph says, and nothing where there is nothing to say."""

import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS
from modular_dynamics.urdf.writing import tags


@pytest.mark.parametrize("floating", [False, True])
def test_a_root_joint_that_readers_add_is_named_by_them(load_robot, floating):
    graph = load_robot("branched_38dof", floating_base=floating)
    names = [own.get("name") for own in tags(graph, "root_joint" if floating else None).findall("subsystem")]
    assert names == [subsystem.name for subsystem in graph.subsystems if subsystem.name != "root_joint"]


def test_what_is_usual_is_not_written():
    wrapper = tags(md.load_urdf(ROBOTS / "four_link.urdf"))
    assert dict(wrapper.attrib) == {"version": "1"}
    assert {own.tag for own in wrapper} == {"subsystem"}


@pytest.mark.parametrize("chosen", [(), ("theta_9",), ("rho_7", "rho_1")])
def test_independent_joints(chosen):
    graph = md.load_urdf(ROBOTS / "exoskeleton.urdf").with_independent_joints(*chosen)
    (own,) = tags(graph).findall("independent")
    assert {joint.get("name") for joint in own} == {*chosen}
    assert md.load_urdf(graph.to_urdf()).independent == graph.independent
    assert md.load_urdf(ROBOTS / "exoskeleton.urdf").independent is None
