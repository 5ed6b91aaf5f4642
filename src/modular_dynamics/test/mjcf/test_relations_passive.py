"""Which joints of loops are passive."""

import pytest

import modular_dynamics as md
from benchmark.peers.mujoco_mjcf import loop_differences
from helpers.robots.mjcf_text import CONNECT, four_bar
from modular_dynamics.mjcf.source import compiled

GEAR = '<joint joint1="rocker" joint2="crank" polycoef="0 0.5 0 0 0"/>'
TENDON = '<tendon><fixed name="t"><joint joint="rocker" coef="1"/></fixed></tendon>'


@pytest.mark.parametrize(
    ("text", "passive"),
    [
        pytest.param(four_bar(), ("coupler", "rocker"), id="driven at the crank"),
        pytest.param(four_bar(actuator='<motor joint="rocker"/>'), ("crank", "coupler"), id="at the rocker"),
        pytest.param(
            four_bar(actuator='<motor tendon="t"/>').replace("<actuator>", f"{TENDON}<actuator>"),
            ("crank", "coupler"),
            id="by a tendon",
        ),
        pytest.param(
            four_bar(CONNECT + GEAR, '<motor joint="rocker"/>'), ("coupler",), id="geared to a driven joint"
        ),
    ],
)
def test_joints_of_loops_without_an_actuator_are_passive(text, passive):
    graph = md.load_mjcf(text)
    assert graph.passive_joints == passive
    assert f"joints in closed loops without an actuator are passive: {', '.join(passive)}" in graph.notes


def test_without_actuators_the_joints_at_the_tips_are_passive_as_many_as_loops_determine():
    model = compiled(four_bar(actuator="")).model
    graph = md.load_mjcf(model)
    assert graph.passive_joints == ("coupler", "rocker")
    (note,) = [note for note in graph.notes if note.startswith("no actuator drives a joint")]
    assert note.endswith("from the tips: coupler, rocker")
    assert loop_differences(graph, model).torque < 1e-10


def test_a_geared_joint_is_not_passive_and_its_driver_may_be():
    graph = md.load_mjcf(four_bar(CONNECT + GEAR, ""))
    assert [gear.joint for gear in graph.gears] == ["rocker"]
    assert graph.passive_joints == ("crank", "coupler")


def test_joints_outside_of_loops_are_not_passive():
    text = four_bar().replace(
        "</worldbody>", '<body name="x"><joint name="x"/><geom type="sphere" size="1"/></body></worldbody>'
    )
    assert "x" in md.load_mjcf(text).independent_joint_names


def test_free_bodies_may_be_welded():
    body = '<body name="{0}" pos="{1} 0 0"><freejoint name="{0}"/><geom size="1"/></body>'
    bodies = body.format("x", 0.0) + body.format("y", 1.5)  # they touch: MuJoCo has contacts, too
    text = f'<mujoco><worldbody>{bodies}</worldbody><equality><weld body1="x" body2="y"/></equality></mujoco>'
    assert [loop.type for loop in md.load_mjcf(text).loop_joints] == ["fixed"]


def test_the_partition_replaces_the_choice():
    graph = md.load_mjcf(four_bar(), {"version": 1, "passive": ["crank", "coupler"]})
    assert graph.passive_joints == ("crank", "coupler")
    assert len(graph.loop_joints) == 1
