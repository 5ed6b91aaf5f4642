"""The cross-check finds what is wrong, and says where; without Pinocchio the error names the extra."""

import pickle

import numpy as np
import pytest

import modular_dynamics as md
from helpers.paths import ROBOTS
from helpers.processes import run_python
from helpers.robots.urdf_text import inertial
from helpers.robots.urdf_text import joint as joint_text


def test_a_wrong_torque_is_found_in_its_subsystem(load_robot):
    graph = load_robot("charmie")
    state = np.random.default_rng(0).normal(size=(3, graph.nv))
    tau = md.inverse_dynamics(graph, *state)
    check = md.crosscheck.CrossCheck(graph)
    assert check(*state, tau).relative < 1e-12
    wrong = tau.copy()
    wrong[graph.v_slice("head_tilt")] += 0.25
    residual = check(*state, wrong)
    assert residual.worst == pytest.approx(0.25, abs=1e-9)
    assert residual.per_subsystem["head"] == residual.worst
    assert max(value for name, value in residual.per_subsystem.items() if name != "head") < 1e-9
    assert residual.relative == pytest.approx(0.25 / np.abs(tau).max(), rel=1e-9)


def test_joints_are_matched_by_name(load_robot):
    """Pinocchio orders this robot's joints otherwise."""
    graph = load_robot("branched_38dof")
    pin = md.crosscheck.PinocchioModel(graph)
    assert list(pin.model.names)[1:] != [joint.name for joint in graph.joints]
    assert pin.model.nq > graph.nq  # continuous joints as (cos, sin)
    assert md.crosscheck.rnea_residual(graph, *np.ones((3, graph.nv))).max() < 1e-11


def test_gravity_is_passed_on(load_robot):
    graph = load_robot("charmie", gravity=(1.0, -2.0, 3.0))
    assert md.crosscheck.rnea_residual(graph, *np.ones((3, graph.nv))).max() < 1e-11


@pytest.mark.parametrize("names", [["head"], ["left_arm", "head"], ["torso"], ["torso", "left_arm"]])
def test_wrenches_of_black_boxes_take_the_place_of_what_they_carry(load_robot, names):
    """Torques before and behind a box; none inside."""
    graph, rng = load_robot("charmie"), np.random.default_rng(2)
    boxes = {name: rng.normal(size=6) for name in names}
    state, load = (graph.neutral(), *rng.normal(size=(2, graph.nv))), {graph.links[-1]: rng.normal(size=6)}
    tau = md.inverse_dynamics(graph, *state, external_wrenches=load, black_box_wrenches=boxes)
    check = md.crosscheck.CrossCheck(graph)
    assert check(*state, tau, load, boxes).worst < 1e-10
    theirs = check.torques(*state, load, boxes)
    inside = {joint.name for name in names for joint in graph.subsystem(name).joints}
    for joint in graph.joints:
        assert np.isnan(theirs[graph.v_slice(joint.name)]).all() == (joint.name in inside)


@pytest.mark.parametrize("kind", ["fixed", "continuous"])
def test_a_black_box_without_joints_may_carry_another_one(kind):
    """The second box is joined to the first, which is a part of the arm's body."""
    mass = inertial(2.0, (0.1, 0.2, 0.3), np.eye(3))
    links = "".join(f'<link name="{name}">{mass}</link>' for name in "abcd")
    joints = zip(("arm", "mount", "tip"), ("continuous", "fixed", kind), "abc", "bcd", strict=True)
    text = f"""<robot name="r">{links}{"".join(joint_text(*one, (0.3, 0.2, 0.1)) for one in joints)}
      <modular_dynamics version="1">
      <subsystem name="tool" root_link="c" black_box="true"/>
      <subsystem name="end" root_link="d" black_box="true"/></modular_dynamics></robot>"""
    graph, boxes = md.load_urdf(text), {"tool": np.arange(6.0), "end": np.ones(6)}
    state = np.random.default_rng(0).normal(size=(3, graph.nv))
    tau = md.inverse_dynamics(graph, *state, black_box_wrenches=boxes)
    assert md.crosscheck.CrossCheck(graph)(*state, tau, black_box_wrenches=boxes).worst < 1e-10


def test_residual_of_zero_torques_is_absolute():
    assert md.crosscheck.Residual(np.array([0.5]), {"a": 0.5}, 0.0, {"a": 0.5}).relative == 0.5


BLOCKED = """
import sys
sys.modules["pinocchio"] = None  # any import of it raises ModuleNotFoundError
import modular_dynamics as md
graph = md.load_urdf(sys.argv[1])
md.gravity_torque(graph, graph.neutral())
for _ in range(2):
    try:
        {use}
    except ImportError as error:
        assert isinstance(error, md.ModularDynamicsError), type(error)
        assert "needs Pinocchio, which is not installed: pip install pin" in str(error), error
        assert not isinstance(error, ModuleNotFoundError)
    else:
        raise SystemExit("no error")
"""


@pytest.mark.parametrize(
    "use", ["import modular_dynamics.crosscheck", "md.crosscheck", "from modular_dynamics import crosscheck"]
)
def test_the_error_says_what_to_install(use):
    done = run_python("-c", BLOCKED.format(use=use), ROBOTS / "four_link.urdf", timeout=120)
    assert done.returncode == 0, done.stderr


def test_the_error_survives_pickling():
    error = md.MissingDependencyError("this", "Package", "extra", "is not installed")
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is md.MissingDependencyError
    assert str(copy) == str(error)
