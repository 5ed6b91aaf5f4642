"""`graph.export_c()` of robots with loops: equal to the library on one branch, NaN beyond."""

import dataclasses
import re
from functools import cache

import numpy as np
import pytest

import modular_dynamics as md
from helpers.c_compiler import CFunctions, assert_agrees, called_functions, needs_gcc
from helpers.paths import ROBOTS
from helpers.random_examples.examples import some
from helpers.robots.planar_mechanisms import MECHANISMS, branch_of, four_bar_by_cosines, same_angle
from helpers.robots.planar_robots import Planar, four_bar
from helpers.robots.spatial_mechanisms import spinning_rod
from helpers.robots.urdf_text import inertial, joint, spring
from modular_dynamics.export import loops

ALL = tuple(loops.FUNCTIONS)
FOUR_LINK = ROBOTS / "four_link.urdf"
ROBOT_FILES = ("four_bar.urdf", "slider_crank.urdf", "crane.urdf", "exoskeleton.urdf")
LARGE = pytest.param("charmie_torso.urdf", marks=pytest.mark.nightly)
#: As many states, and how far the independent joints go [rad or m].
STATES, RANGE = 60, 3.0


def loaded(name):
    return MECHANISMS[name]().graph() if name in MECHANISMS else md.load_urdf(ROBOTS / name)


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """The code of a robot with all functions, written and compiled once for the tests of this file."""
    return cache(lambda name: loaded(name).export_c(tmp_path_factory.mktemp(name) / "robot.c", ALL))


@needs_gcc
@pytest.mark.parametrize("name", [*ROBOT_FILES, *MECHANISMS, LARGE])
def test_the_test_program_passes(exported, name):
    assert_agrees(exported(name), ALL)


@needs_gcc
@pytest.mark.parametrize("name", some(["crane", "charmie_torso"], 1))
def test_floating_bases(load_robot, tmp_path, name):
    graph = load_robot(name, floating_base=True)
    assert_agrees(graph.export_c(tmp_path / "robot.c", ALL[:-1]))
    with pytest.raises(md.StateError, match="has a direction that moves no inertia"):
        graph.export_c(tmp_path / "robot.c", ALL[-1:])


@needs_gcc
def test_armature_and_springs_at_joints_and_a_ball_joint_in_a_loop_count(tmp_path):
    """A ball joint hangs on the coupler; its quaternion is independent."""
    terms = [
        {"joint": "J1", "armature": 0.05},
        {"joint": "J3", "armature": 0.02, "stiffness": 4.0, "rest_position": 0.3},
        {"joint": "hook", "armature": 0.01},
    ]
    text = re.sub("<subsystem.*?</subsystem>", "", (ROBOTS / "four_bar.urdf").read_text())
    hanging = [
        f'<link name="weight">{inertial(0.2, (0.0, 0.02, -0.1), np.diag([0.01, 0.02, 0.015]))}</link>',
        joint("hook", "floating", "coupler", "weight", (0.03, 0.01, 0.0)),
    ]
    text = text.replace("<modular_dynamics", "".join(hanging) + "<modular_dynamics", 1)
    text = text.replace("</modular_dynamics>", '<spherical joint="hook"/></modular_dynamics>')
    graph = md.load_urdf(text, {"joint_dynamics": terms, "version": 1})
    assert_agrees(graph.export_c(tmp_path / "robot.c", ALL))
    without = md.load_urdf(text).export_c(tmp_path / "without.c", ALL)
    there = [0.3, *graph.neutral()[-4:]]
    torques = [
        CFunctions(code).call("nonlinear_effects", 4, there, np.zeros(4))[1]
        for code in (without, graph.export_c(tmp_path / "with.c", ALL))
    ]
    assert np.abs(torques[0] - torques[1])[0] > 0.1


SPRING = spring("s", [("base", (0.1, 0.2, 0.3)), ("right_branch", (0.1, 0, 0.05))], 300, 0.2, 3, 5)


def tagged_four_link(tag):
    tags = f'<modular_dynamics version="1">{tag}</modular_dynamics>'
    text = re.sub("<modular_dynamics.*</modular_dynamics>", tags, FOUR_LINK.read_text(), flags=re.DOTALL)
    return md.load_urdf(text)


@needs_gcc
def test_a_tree_with_a_damped_spring_to_the_ground(tmp_path):
    exported = tagged_four_link(SPRING).export_c(tmp_path / "robot.c", ALL)
    assert_agrees(exported)
    assert "or a spring between links has length zero" in exported.header.read_text()


@needs_gcc
@pytest.mark.parametrize("name", ["four_bar.urdf", "slider_crank.urdf", *MECHANISMS])
def test_far_from_the_guess_the_branch_stays_or_the_loops_do_not_close(exported, name):
    """Independent of the library's way there: residual, branch, and the library's torques at that place."""
    graph = loaded(name)
    solver = md.loops.solver_of(graph)
    c = CFunctions(exported(name))
    near = md.close_loops(graph, solver.reference()[solver.independent_q])
    branch, rng, closed = branch_of(graph, near), np.random.default_rng(1), 0
    count = len(solver.independent_v)
    for _ in range(STATES):
        q = near[solver.independent_q] + rng.uniform(-RANGE, RANGE, len(solver.independent_q))
        v, a = rng.uniform(-2.0, 2.0, (2, count))
        status, coordinates = c.call("close_loops", graph.nq, q)
        torque_status, tau = c.call("inverse_dynamics", count, q, v, a)
        assert status == torque_status
        if status != 0:
            assert status == 4
            assert np.isnan([*coordinates, *tau]).all()
            with pytest.raises((md.ClosureError, md.SingularityError)):
                md.InverseDynamics(graph).solve(q, v, a, guess=near)
            continue
        closed += 1
        assert max(solver.residual(coordinates).values()) < 1e-13
        assert (branch_of(graph, coordinates) == branch).all()
        there = solver.inverse_dynamics(coordinates, v, a)
        allowed = 1e-14 * max(1.0, there.condition) ** 2
        assert np.abs(tau - there.tau).max() <= allowed * np.abs(there.open_tree.joint_wrenches).max()
    assert closed > STATES // 4


@needs_gcc
@pytest.mark.parametrize(("tilt", "gravity"), [((0, 0, 0), (0, 0, -9.81)), ((0.7, -0.5, 1.9), (0, 0, 0))])
@pytest.mark.parametrize("name", ["crane", "slider-crank", "yoke"])
def test_robots_that_no_gravity_loads(tmp_path, name, tilt, gravity):
    """In a horizontal plane torques of gravity are rounding, or zero, in the library and in C."""
    graph = MECHANISMS[name](Planar(tilt=tilt)).graph()
    graph = dataclasses.replace(graph, gravity=np.array(gravity, float))
    assert_agrees(graph.export_c(tmp_path / "robot.c", ALL))


@needs_gcc
@pytest.mark.parametrize(
    ("name", "q"),
    [
        *(("crane.urdf", [0.1, 0.3, bad]) for bad in (np.nan, np.inf, 1e200)),
        *(("four-bar", [away]) for away in (1e6, 1e16, 1e200)),
    ],
)
def test_bad_numbers_and_angles_without_digits_are_reported_and_give_no_number(exported, name, q):
    """At 1e16 rad an angle has no decimals: loops closed by it are open by as much as they are long."""
    c, graph = CFunctions(exported(name)), loaded(name)
    for function, shape in (("close_loops", graph.nq), ("mass_matrix", (len(q), len(q)))):
        status, result = c.call(function, shape, q)
        assert status in ((2, 4) if np.isfinite(q).all() else (1,))
        assert np.isnan(result).all()
    if name == "four-bar":
        with pytest.raises(md.ClosureError, match="is more than 100000 rad or m from"):
            md.close_loops(graph, q)


@needs_gcc
@pytest.mark.parametrize("side", [1, -1])
def test_the_guess_selects_the_assembly_mode(tmp_path, side):
    guess = four_bar_by_cosines(0.2, side)
    c = CFunctions(four_bar().graph().export_c(tmp_path / "robot.c", "close_loops", guess=guess))
    for theta in np.linspace(-7.0, 7.0, 41):
        status, coordinates = c.call("close_loops", 3, [theta])
        assert status == 0
        assert same_angle(coordinates, four_bar_by_cosines(theta, side))
        assert coordinates[0] == theta
        assert np.abs(coordinates - guess)[1:].max() <= np.pi


@needs_gcc
def test_up_to_a_singular_configuration_and_not_beyond(tmp_path):
    """Crank and coupler in line with the rocker driving: the library's condition number limits it, too."""
    graph = four_bar().graph().with_independent_joints("rocker")
    a, b, c, d = 0.5, 1.8, 1.2, 2.0
    start = four_bar_by_cosines(0.7, 1)
    dead = np.copysign(np.arccos(((a + b) ** 2 - c * c - d * d) / (2 * c * d)), start[2])
    code = CFunctions(graph.export_c(tmp_path / "robot.c", ALL, guess=start))
    inward = np.sign(start[2] - dead)
    for distance in (0.1, 1e-3, 1e-6):
        q = [dead + inward * distance]
        status, tau = code.call("inverse_dynamics", 1, q, [0.3], [0.2])
        there = md.InverseDynamics(graph).solve(q, [0.3], [0.2], guess=start)
        assert status == 0
        assert tau == pytest.approx(there.tau, rel=1e-14 * there.condition**2)
    for distance in (1e-14, 0.0, -1e-14, -1e-3):
        status, tau = code.call("inverse_dynamics", 1, [dead + inward * distance], [0.3], [0.2])
        assert (status, np.isnan(tau).all()) == (4, True)


def test_no_other_functions_are_called(exported, load_robot, tmp_path):
    written = exported("exoskeleton.urdf")
    assert called_functions(written) == {"sin", "cos", "sqrt", "atan2", "floor"}
    header = written.header.read_text()
    for words in (
        "sin, cos, sqrt, atan2 and floor",
        "ROBOT_NQ 5 ",
        "ROBOT_ALL_NQ 13 ",
        "4: the loops do not",
    ):
        assert words in header
    default = ["close_loops", "inverse_dynamics", "mass_matrix", "forward_dynamics"]
    assert list(load_robot("crane").export_c(tmp_path / "b.c").operations) == default


def four_bar_cut_twice():
    robot = four_bar(robot=Planar(7))
    robot.cut("again", "coupler", (2.3, 0.0), "rocker", (3.2, 0.0))
    return robot.graph()


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (spinning_rod, "in closed form: .* loops that do not move in a plane. For other loops, graph.tree"),
        (
            lambda: MECHANISMS["chained"]().graph().with_independent_joints("carrier", "rod_2"),
            "not all of its passive joints are found by steps",
        ),
        (
            lambda: tagged_four_link('<passive joint="bend"/>'),
            "not all of its passive joints are found by steps",
        ),
        (lambda: four_bar().graph().lock({"crank": 0.3}), "'planar' has no independent joints"),
        (four_bar_cut_twice, "or it has more loops and gears than they need"),
    ],
)
def test_other_loops_are_refused(tmp_path, graph, message):
    with pytest.raises(md.UnsupportedModelError, match=message):
        graph().export_c(tmp_path / "arm.c")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"functions": ["jacobian"]}, "has closed loops, has no function 'jacobian'; its functions: close"),
        ({"functions": [3]}, r"functions is \[3\]; a sequence of names is needed"),
        ({"functions": []}, "of no functions; its functions: close_loops"),
        ({"links": ["L1"]}, "'frame_poses' and 'jacobian' of graph.tree"),
        ({"guess": [0.0]}, r"q has shape \(1,\)"),
    ],
)
def test_errors_say_what_is_needed(load_robot, tmp_path, options, message):
    with pytest.raises(md.StateError, match=message):
        load_robot("four_bar").export_c(tmp_path / "arm.c", **options)
    with pytest.raises(md.StateError, match="'four_link' has no loops; guess= selects how loops close"):
        load_robot("four_link").export_c(tmp_path / "arm.c", guess=[0.0] * 4)
