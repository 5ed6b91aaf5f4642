"""Parameters by name: all of them can be read and written back; wrong names and numbers."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import modular_dynamics as md
from helpers.changed_robots import assert_same_connections, edited, joint_element, untagged
from helpers.random_examples.black_boxes import boxed_trees
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import random_trees
from helpers.read_back import assert_same, read_back
from helpers.robots.closed_robots import STATES, text_of
from helpers.robots.urdf_text import inertial, joint, robot
from helpers.tree_dynamics import ROBOT_NAMES

LOOPED = ["four_bar", "crane", "exoskeleton", "charmie_torso"]


@pytest.mark.parametrize("name", [*ROBOT_NAMES, *LOOPED])
def test_written_back_they_change_nothing(load_robot, name):
    graph = load_robot(name)
    graph = graph.with_payload(graph.links[-1], mass=1.0, com=[0.1, 0.2, 0.3])
    same = graph.with_parameters({key: value for key, (value, _) in graph.parameters.items()})
    assert_same(same.tree, graph.tree)
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
def test_unknown_names_are_computed_with_similar_ones(load_robot, name, message):
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


# Parameters of loop joints, springs and gears by name, against the text that says the same.


def edited_text(name, *edits):
    text = text_of(name)
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return md.load_urdf(text)


def torques(graph, name):
    q = STATES[name]
    return md.inverse_dynamics(graph, q, 0.3 + 0.0 * q, 0.2 + 0.0 * q)


def test_a_loop_joints_end(load_robot):
    """The coupler of the four-bar, 0.01 m longer: torques of the text with that number."""
    graph = load_robot("four_bar")
    (loop,) = graph.loop_joints
    x = graph.parameters[f"loop joint {loop.name} successor x"]
    assert x.unit == "m"
    longer = graph.with_parameters({f"loop joint {loop.name} successor x": x.value + 0.01})
    theirs = edited_text(
        "four_bar",
        ('<successor link="coupler" xyz="0.1 0 0"/>', '<successor link="coupler" xyz="0.11 0 0"/>'),
    )
    assert torques(longer, "four_bar") == pytest.approx(torques(theirs, "four_bar"), rel=1e-10)
    assert torques(longer, "four_bar") != pytest.approx(torques(graph, "four_bar"), rel=1e-3)


def test_a_springs_law_and_places(load_robot):
    graph = load_robot("exoskeleton")
    (spring,) = graph.springs
    before = f"spring {spring.name} "
    assert graph.parameters[before + "stiffness"].value == spring.stiffness
    stiffer = graph.with_parameters(
        {before + "stiffness": 2.0 * spring.stiffness, before + "free length": 0.01}
    )
    assert (stiffer.springs[0].stiffness, stiffer.springs[0].free_length) == (2.0 * spring.stiffness, 0.01)
    assert torques(stiffer, "exoskeleton") != pytest.approx(torques(graph, "exoskeleton"), rel=1e-3)
    # linear in the stiffness: half the change of twice the change
    tau = [
        torques(graph.with_parameters({before + "stiffness": k * spring.stiffness}), "exoskeleton")
        for k in (1, 2, 3)
    ]
    assert tau[2] - tau[1] == pytest.approx(tau[1] - tau[0], rel=1e-8, abs=1e-9)
    with pytest.raises(md.ModelError, match=r"the stiffness of spring '.*' is -1; it cannot be negative"):
        graph.with_parameters({before + "stiffness": -1.0})


def test_a_gears_ratios(load_robot):
    graph = load_robot("exoskeleton")
    names = [name for name in graph.parameters if name.startswith("gear ")]
    assert names == [
        "gear theta_12 ratio",
        "gear theta_12 offset",
        "gear rho_6 ratio",
        "gear rho_6 ratio 2",
        "gear rho_6 offset",
    ]
    new = {"gear rho_6 ratio": 0.9, "gear rho_6 ratio 2": -0.8, "gear rho_6 offset": 0.05}
    gear = graph.with_parameters(new).gears[1]
    assert (gear.drivers, gear.offset) == ((("rho_5", 0.9), ("rho_4", -0.8)), 0.05)
    assert graph.gears[1].drivers == (("rho_5", 1.0), ("rho_4", -1.0))


# Parameters of joints by name: origins as in the URDF, drives, limits, mimic joints.

NEW = {"x": 0.3, "y": -0.4, "z": 0.5, "roll": 0.6, "pitch": -0.7, "yaw": 2.8}


def test_drives_and_limits(load_robot):
    graph = load_robot("vendor_arm")
    name = graph.joint_names[0]
    new = {"damping": 1.0, "friction": 2.0, "armature": 3.0, "stiffness": 4.0, "rest position": 0.5}
    limits = {"lower limit": -0.1, "upper limit": 0.1, "effort limit": 5.0, "velocity limit": 6.0}
    joint = graph.with_parameters(
        {f"joint {name} {key}": value for key, value in (new | limits).items()}
    ).joint(name)
    assert (joint.damping, joint.friction, joint.armature) == (1.0, 2.0, 3.0)
    assert (joint.stiffness, joint.rest_position) == (4.0, 0.5)
    assert (joint.limits.lower, joint.limits.upper, joint.limits.effort, joint.limits.velocity) == (
        -0.1,
        0.1,
        5,
        6,
    )
    for quantity in ("damping", "friction", "armature", "stiffness", "effort limit", "velocity limit"):
        with pytest.raises(
            md.ModelError, match=rf"the {quantity} of joint '{name}' is -1; it cannot be negative"
        ):
            graph.with_parameters({f"joint {name} {quantity}": -1.0})
    with pytest.raises(md.ModelError, match=r"the lower limit of joint .* is 3, above its upper limit"):
        graph.with_parameters({f"joint {name} lower limit": 3.0})


@pytest.mark.parametrize(("kind", "units"), [("spherical", "kg m^2"), ("floating", "kg m^2, kg")])
def test_joints_with_several_coordinates_have_no_springs(kind, units):
    ball = f'<link name="ball">{inertial(1.0, (0, 0, 0), np.eye(3))}</link>'
    text = ['<link name="base"/>', ball, joint("j", "floating", "base", "ball", (0, 0, 0))]
    graph = md.load_urdf(robot("r", text, ['<spherical joint="j"/>'] if kind == "spherical" else []))
    for name in ("joint j stiffness", "joint j rest position"):
        assert name not in graph.parameters
        with pytest.raises(md.UnknownNameError, match=rf"no parameter '{name}'"):
            graph.with_parameters({name: 1.0})
    assert graph.parameters["joint j armature"].unit == units
    assert graph.with_parameters({"joint j armature": 2.0}).joint("j").armature == 2.0


@examples(20)
@given(tree=random_trees(largest=15))
def test_a_mimic_joints_numbers_are_those_of_the_urdf(tree):
    graph = untagged(tree.urdf)
    names = [joint.name for joint in graph.joints if joint.mimic is not None]
    assume(names)

    def change(root):
        for mimic in (joint_element(root, name).find("mimic") for name in names):
            mimic.set("multiplier", "0.5")
            mimic.set("offset", "-0.1")

    new = {
        f"joint {name} mimic {key}": x for name in names for key, x in (("multiplier", 0.5), ("offset", -0.1))
    }
    assert_same(graph.with_parameters(new), untagged(edited(tree.urdf, change)))


@pytest.mark.parametrize("name", ["charmie", "branched_38dof", "vendor_arm"])
def test_slope_of_the_torque_in_a_mass_is_the_regressors(load_robot, name):
    """A point mass at the moving link's own centre: dtau/dm with c and I about c kept."""
    graph = load_robot(name)
    state = (
        np.random.default_rng(0).normal(size=graph.nq),
        *np.random.default_rng(1).normal(size=(2, graph.nv)),
    )
    Y = md.regressor(graph, *state)
    for k in (0, len(graph.bodies) // 2, len(graph.bodies) - 1):
        part = graph.bodies[k].parts[0].inertial
        key = f"link {graph.bodies[k].name} mass"
        heavier = graph.with_parameters({key: part.mass + 2.0})
        slope = (md.inverse_dynamics(heavier, *state) - md.inverse_dynamics(graph, *state)) / 2.0
        c = part.com
        at_origin = c @ c * np.eye(3) - np.outer(c, c)
        per_kilogram = np.r_[
            1.0, c, [at_origin[i, j] for i, j in ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))]
        ]
        assert slope == pytest.approx(Y[:, 10 * k : 10 * k + 10] @ per_kilogram, rel=1e-8, abs=1e-8)


# Masses of links by name: the torque is linear in them, with the regressor as slope.


def test_a_payload_has_numbers_too_and_none_at_mass_zero(load_robot):
    graph = load_robot("four_link").with_payload("lower_stem", mass=2.0, com=[0.0, 0.0, 0.1])
    changed = graph.with_parameters({"payload lower_stem mass": 3.0, "payload lower_stem com x": 0.2})
    assert changed.payloads["lower_stem"].com.tolist() == [0.2, 0.0, 0.1]
    direct = graph.with_payload("lower_stem", mass=3.0, com=[0.2, 0.0, 0.1])
    assert changed.bodies[0].inertia.tobytes() == direct.bodies[0].inertia.tobytes()
    assert not graph.with_parameters({"payload lower_stem mass": 0.0}).payloads


def test_what_no_body_weighs_is_refused(load_robot):
    graph = load_robot("four_link")
    with pytest.raises(md.ModelError, match=r"mass of link 'lower_stem' is -1 kg"):
        graph.with_parameters({"link lower_stem mass": -1.0})
    with pytest.raises(md.ModelError, match=r"inertia of link 'lower_stem' has the principal moments"):
        graph.with_parameters({"link lower_stem inertia xx": -1.0})
    with pytest.warns(md.ModelWarning, match="triangle inequality") as caught:
        graph.with_parameters({"link lower_stem inertia zz": 100.0})
    assert caught[0].filename == __file__


# Origins of joints of robots with black boxes: as in a URDF with other numbers.


@examples(40)
@given(tree=boxed_trees(), data=st.data())
def test_a_moved_joint_takes_what_it_carries_along(tree, data):
    """Fixed joints, too, and black boxes on them."""
    graph = tree.load()
    joints = [name.split(" ")[1] for name in graph.parameters if name.endswith(" origin x")]
    name = data.draw(st.sampled_from(joints))
    moved = graph.with_parameters({f"joint {name} origin {key}": value for key, value in NEW.items()})

    def move(root):
        origin = joint_element(root, name).find("origin")
        origin.set("xyz", "0.3 -0.4 0.5")
        origin.set("rpy", "0.6 -0.7 2.8")

    assert_same_connections(moved)
    assert_same(moved, tree.load(edited(tree.urdf, move)))
    assert_same(read_back(moved), moved)
