"""Parameters by name: all of them can be read and written back; wrong names and numbers."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.changed_robots import assert_same_robot
from helpers.tree_dynamics import ROBOT_NAMES

LOOPED = ["four_bar", "crane", "exoskeleton", "charmie_torso"]


@pytest.mark.parametrize("name", [*ROBOT_NAMES, *LOOPED])
def test_written_back_they_change_nothing(load_robot, name):
    graph = load_robot(name)
    graph = graph.with_payload(graph.links[-1], mass=1.0, com=[0.1, 0.2, 0.3])
    same = graph.with_parameters({key: value for key, (value, _) in graph.parameters.items()})
    assert_same_robot(same.tree, graph.tree, 1e-12)
    assert [*same.parameters] == [*graph.parameters]
    for key, (value, unit) in graph.parameters.items():
        assert same.parameters[key].unit == unit
        assert same.parameters[key].value == pytest.approx(value, abs=1e-9), key


@pytest.mark.filterwarnings("ignore:.*triangle inequality")
@pytest.mark.parametrize("name", [*ROBOT_NAMES, *LOOPED])
def test_each_alone_is_what_it_was_set_to(load_robot, name):
    graph = load_robot(name)
    names = [*graph.parameters]
    for key in names[:: max(1, len(names) // 60)]:
        before = graph.parameters[key].value
        step = 1e-3 * max(abs(before), 1.0) * (-1 if key.endswith("lower limit") else 1)
        if "inertia" in key and key[-1] != key[-2]:
            step = 0.0 if before == 0.0 else 1e-6 * before  # a product alone would be no inertia
        changed = graph.with_parameters({key: before + step})
        assert changed.parameters[key].value == pytest.approx(before + step, rel=1e-9, abs=1e-9), key
        others = {k: v for k, (v, _) in changed.parameters.items() if k.split(" origin ")[0] not in key}
        assert others == pytest.approx({k: graph.parameters[k].value for k in others}, abs=1e-9)
    assert graph.parameters == type(graph).parameters.func(graph)  # the old graph is as it was


def test_names_may_contain_spaces_and_quantities():
    text = """<robot name="r"><link name="base"/><link name="the mass"><inertial><mass value="2"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
      <joint name="an origin x" type="continuous"><parent link="base"/><child link="the mass"/></joint>
      </robot>"""
    graph = md.load_urdf(text)
    changed = graph.with_parameters(
        {"link the mass mass": 3.0, "joint an origin x origin x": 0.5, "gravity x": 1.0}
    )
    assert changed.bodies[0].mass == 3.0
    assert changed.parameters["joint an origin x origin x"] == (0.5, "m")
    assert changed.gravity.tolist() == [1.0, 0.0, -9.81]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "joint torso_lift origin q",
            r"no parameter .* in 'charmie'; .* similar ones: joint torso_lift origin ",
        ),
        ("link nose mass", "no parameter 'link nose mass'"),
        ("qqqqqq", r"of its \d+ parameters one of them is joint base_x origin x"),
        ("joint base_yaw mimic offset", "no parameter"),
        ("payload world mass", "no parameter"),
        ("gravity", "no parameter"),
    ],
)
def test_unknown_names_are_answered_with_similar_ones(load_robot, name, message):
    with pytest.raises(md.UnknownNameError, match=message):
        load_robot("charmie").with_parameters({name: 1.0})


@pytest.mark.parametrize("value", [np.nan, np.inf, "1", None, True, [1.0], 1j])
def test_what_is_no_number_is_refused(load_robot, value):
    with pytest.raises(md.ModelError, match=r"^gravity x is .*; a (finite )?number is needed"):
        load_robot("charmie").with_parameters({"gravity x": value})


@pytest.mark.parametrize("values", [None, "gravity x", [("gravity x", 1.0)], {3: 1.0}])
def test_what_is_no_mapping_is_refused(load_robot, values):
    with pytest.raises(md.ModelError, match=r"^values are .*; a mapping of names to numbers is needed"):
        load_robot("charmie").with_parameters(values)


def test_numbers_of_black_boxes_are_not_there(boxed_arm):
    names = [*boxed_arm.parameters]
    assert "link tv7_left_finger mass" not in names
    assert "link tv7_gripper_base mass" not in names
    assert "link tv7_link_7 mass" in names
