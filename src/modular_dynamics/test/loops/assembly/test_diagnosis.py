"""What cannot be solved raises an error that names the cause: never a silent wrong answer."""

import numpy as np
import pytest

import modular_dynamics as md
from helpers.oracles.rigid_bodies import RigidBodies
from helpers.random_examples.examples import some
from helpers.robots.four_bar_windows import standing, windows
from helpers.robots.planar_robots import Planar, four_bar, with_limits
from helpers.robots.spatial_mechanisms import Z, ball, link, loaded, passive
from helpers.robots.urdf_text import joint, loop_joint
from modular_dynamics.exceptions import ClosureError, SingularityError, StateError
from modular_dynamics.loops import solver_of


def inverse(graph, q, guess):
    rest = np.zeros(len(q))
    return md.InverseDynamics(graph).solve(q, rest, rest, guess=guess)


EVERYTHING = {
    "inverse dynamics": inverse,
    "projection": md.explicit_constraint_jacobian,
    "mass matrix": lambda graph, q, guess: md.mass_matrix(graph, q, guess=guess),
    "simulation": lambda graph, q, guess: md.simulate(graph, q, 0 * np.array(q), None, 0.1, guess=guess),
}


@pytest.fixture(params=EVERYTHING.values(), ids=EVERYTHING)
def function(request):
    return request.param


def independent(graph, coordinates):
    """The coordinates of a graph's independent joints."""
    return coordinates[solver_of(graph).independent_q]


@pytest.mark.slow
@pytest.mark.parametrize("chosen", some([("J1", "J4"), ("J4", "J3"), ("J1", "J4", "J3")], 2))
@pytest.mark.parametrize("guess", some(["closed", None, [0.1, 0.2, 0.3]], 2))
def test_too_many_independent_joints(load_robot, function, chosen, guess):
    """A forgotten passive tag is not the loops' fault, though joints tied to each other fit nowhere."""
    graph = load_robot("four_bar").with_independent_joints(*chosen)
    q = np.full(len(chosen), 0.5)
    if guess == "closed":
        guess = md.close_loops(load_robot("four_bar"), [0.5])
        q = independent(graph, guess)
    message = (
        f"^{', '.join(graph.independent_joint_names)} of 'four_bar' cannot all be.*J2.* has 1 degree.* and "
        f"{len(chosen)} independent coordinates; let 1 of them.*passive"
    )
    with pytest.raises(ClosureError, match=message):
        function(graph, q, guess)


def test_too_many_in_line():
    """All bars in line at zero: closed, but there the rank misleads."""
    graph = four_bar(0.5, 1.5, 1.0, 1.0).graph().with_independent_joints("crank", "rocker")
    with pytest.raises(ClosureError, match="crank, rocker of 'planar' cannot all be independent"):
        md.close_loops(graph, [0.4, 0.9])


def test_only_those_that_are_tied_are_named():
    robot = four_bar()
    robot.turn("arm", "world", "arm", (5, 5))
    graph = robot.graph()
    closed = md.close_loops(graph, [0.4, 0.2])
    other = graph.with_independent_joints("crank", "rocker", "arm")
    with pytest.raises(
        ClosureError, match=r"motion of crank, rocker would open .*\. .* 2 degree.*3 independent coord"
    ):
        inverse(other, independent(other, closed), closed)


def test_a_loop_joint_with_a_wrong_axis(load_robot):
    end = '<successor link="coupler" xyz="0.1 0 0"/> <axis xyz="{} 0 1"/>'
    text = load_robot("four_bar").urdf
    assert end.format(0) in text
    graph = md.load_urdf(text.replace(end.format(0), end.format(0.1)))
    with pytest.raises(ClosureError, match=r"would open J2\..* 0 degree.*axes of the loop joints"):
        md.close_loops(graph, [0.3])


def test_too_few_independent_joints(load_robot, function):
    graph = load_robot("crane")
    closed = md.close_loops(graph, [0.1, 0.2, 0.2])
    other = graph.with_independent_joints("slew", "lift_cylinder")
    message = "do not determine .*jib_cylinder.* 3 degree.*and 2 independent coordinate.*more joints"
    with pytest.raises(SingularityError, match=message) as error:
        function(other, independent(other, closed), closed)
    assert error.value.condition > 1e9
    undetermined = str(error.value).split("do not determine ")[1].split(" here")[0].split(", ")
    assert set(undetermined) == {"jib_hinge", "jib_tube_hinge", "jib_cylinder"}  # none that the boom holds


def test_singular_configurations_of_windows(function):
    graph = windows(2)
    with pytest.raises(SingularityError, match=r"upright_0.* 3 degree.*loops are in line") as error:
        function(graph, [0.0], standing(graph, 0.0))
    assert np.isinf(error.value.condition)


def test_what_is_advised_at_a_dead_zero_pose_helps():
    """All bars in line at zero. The independent joint is the right one: a guess or limits are missing."""
    text = four_bar(0.5, 1.5, 1.0, 1.0).graph().urdf
    graph, rest = md.load_urdf(text), np.zeros(1)
    beside = "start beside it, by a guess or, without one, by limits of joints that exclude it"
    with pytest.raises(SingularityError, match=f"2 degree.* it is a singular configuration, .*{beside}"):
        md.InverseDynamics(graph).solve([0.0], rest, rest)
    starts = f"starts at a singular configuration of.*Branches meet there: {beside}"
    with pytest.raises(SingularityError, match=starts):
        md.InverseDynamics(graph).solve([0.4], rest, rest)
    by_guess = md.InverseDynamics(graph).solve([0.4], rest, rest, guess=[0.4, 0.5, 1.0])
    assert max(by_guess.residual.values()) < 1e-10
    limited = md.load_urdf(with_limits(text, "crank", 0.1, 1.5))
    by_limits = md.InverseDynamics(limited).solve([0.4], rest, rest)
    assert max(by_limits.residual.values()) < 1e-10
    assert by_limits.condition < 10


def test_near_a_singular_configuration_torques_stay_right(load_robot):
    """Described by the output, the nearer to its turning point the worse the condition, but W agrees."""
    graph = load_robot("four_bar")
    other = graph.with_independent_joints("J4")
    worst = 0.0
    for away in (1e-1, 1e-2, 1e-3):
        triangle = np.arccos((0.15**2 + 0.15**2 - 0.13**2) / (2 * 0.15 * 0.15))
        closed = md.close_loops(graph, [triangle + away])  # crank and coupler in line at the triangle's angle
        by_crank = md.InverseDynamics(graph).solve(closed[:1], [1.0], [0.5], guess=closed)
        v, a = by_crank.velocities[1:2], by_crank.accelerations[1:2]
        by_output = md.InverseDynamics(other).solve(closed[1:2], v, a, guess=closed)
        # the same power, by another motor; the condition number multiplies what Newton's method leaves
        assert by_output.tau @ v == pytest.approx(by_crank.tau @ [1.0], abs=1e-9 * by_output.condition)
        assert by_output.condition > worst
        worst = by_output.condition
    assert worst > 100


def three_loops():
    """A four-bar alone, and one whose coupler is pinned to its rocker at two places that never meet."""
    robot = four_bar()
    four_bar(0.4, 1.5, 1.0, 1.6, at=(0.0, 3.0), robot=robot, tag="_2")
    robot.cut("wrong", "coupler_2", (1.9, 3.0), "rocker_2", (1.7, 3.0))
    return robot.graph()


def test_loops_that_contradict_each_other():
    with pytest.raises(ClosureError, match=r"open are loop_2 by 0.\d+, wrong by 0.\d+ \[m or 1\];") as error:
        inverse(three_loops(), [0.3, 0.3], None)
    assert error.value.residual["loop"] < 1e-9  # the one that is not at fault
    assert min(error.value.residual["loop_2"], error.value.residual["wrong"]) > 1e-2
    assert "do not close with all joints free" in str(
        error.value
    )  # no choice of independent joints would help
    assert error.value.coordinates.shape == (6,)


def test_loops_that_agree_in_one_place_only():
    """A second pin where the bars happen to cross: it closes, and locks the mechanism."""
    robot = four_bar()
    closed = md.close_loops(robot.graph(), [0.5])
    poses = RigidBodies(robot.graph()).poses(closed)
    there = np.linalg.solve(poses["rocker"], poses["coupler"] @ [0.1, 0.2, 0.3, 1.0])[:3]
    ends = ("coupler", (0.1, 0.2, 0.3)), ("rocker", there)
    robot.tags.append(loop_joint("lock", "spherical", *ends, (0, 0, 1)))
    graph = robot.graph()
    message = r"crank of 'planar' cannot.*motion of crank would open.*(loop|lock).* 0 degree"
    with pytest.raises(ClosureError, match=message):
        inverse(graph, closed[:1], closed)
    with pytest.raises(ClosureError, match="crank of 'planar' cannot all be independent"):
        inverse(graph, [0.6], closed)


def test_gears_that_contradict_each_other():
    robot = Planar()
    for name in "abc":
        robot.turn(name, "world", name, (0, 0))
    for name, driver, ratio in (("b", "a", 2.0), ("c", "b", 2.0)):
        robot.tags.append(f'<gear joint="{name}" driver="{driver}" ratio="{ratio}"/>')
    origin = (0, 0, 0)
    robot.tags.append(loop_joint("weld", "fixed", ("b", origin), ("c", origin), (0, 0, 1)))
    with pytest.raises(ClosureError, match=r"weld|gear of"):
        inverse(robot.graph(), [0.7], None)


def test_unsolvable_loop(load_robot, function):
    """A cylinder of 1.87 m; its triangle's other sides are 0.93 m and 0.81 m."""
    message = r"'crane' do not close.*open are lift_pin by [\d.]+ \[m or 1\]"
    with pytest.raises(ClosureError, match=message) as error:
        function(load_robot("crane"), np.array([0.0, 0.9, 0.2]), None)
    assert error.value.residual["lift_pin"] > 0.05
    assert error.value.residual["jib_pin"] < 1e-6


def test_unknown_independent_joint(load_robot):
    message = r"'J9' is no joint of 'four_bar' with coordinates of its own; its joints: J1, J4, J3"
    with pytest.raises(StateError, match=message):
        load_robot("four_bar").with_independent_joints("J9")
    with pytest.raises(StateError, match="independent joint 'J1' of 'four_bar' is named twice"):
        load_robot("four_bar").with_independent_joints("J1", "J1")
    with pytest.raises(StateError, match=r"independent joint \['J1'\]: names are needed, one argument each"):
        load_robot("four_bar").with_independent_joints(["J1"])


def test_forward_dynamics_of_an_open_or_torn_loop(load_robot):
    graph = load_robot("four_bar")
    q = md.close_loops(graph, [0.5])
    v = md.explicit_constraint_jacobian(graph, [0.5])[:, 0]
    with pytest.raises(ClosureError, match="'J2' of 'four_bar' is open by"):
        md.constrained_dynamics(graph, q + np.array([0.0, 0.0, 0.01]), v, [0.0])
    with pytest.raises(ClosureError, match="'J2' of 'four_bar' opens at a rate of"):
        md.constrained_dynamics(graph, q, v + np.array([0.0, 0.1, 0.0]), [0.0])


def test_joints_that_drive_no_loop_may_be_anywhere_and_those_that_do_are_refused_far_away(load_robot):
    graph = load_robot("charmie_torso")
    near, far = np.zeros(19), np.zeros(19)
    far[0] = 1e10  # m: the base; a way of so many strides would never end
    closed = md.close_loops(graph, near)
    assert md.close_loops(graph, far)[1:] == pytest.approx(closed[1:], abs=1e-12)
    assert md.close_loops(graph, far, closed)[0] == 1e10
    bar = load_robot("four_bar")
    with pytest.raises(ClosureError, match="J1 of 'four_bar' drives loops and is more than 100000 rad or m"):
        md.close_loops(bar, [1e10])
    turned = md.close_loops(bar, [0.5])
    turned[bar.q_slice("J1")] += 1e10
    assert md.close_loops(bar, [0.5 + 1e10], turned)[0] == 0.5 + 1e10  # a guess that is there


def test_a_parallelogram_that_is_in_line_again_is_not_out_of_reach():
    """Its crank turned by pi from the line: passive joints change the gap by second order only."""
    graph = four_bar(1.0, 2.0, 1.0, 2.0).graph()
    with pytest.raises(SingularityError, match="starts at a singular configuration"):
        md.close_loops(graph, [np.pi])


def test_free_coordinates_are_not_counted_as_chosen():
    """Two rods that spin between balls, and a bar that has two motors, one too many."""
    elements, tags = [link("base")], []
    elements += [link("bar", 1.0), joint("motor", "continuous", "base", "bar", (0, 0, 0), axis=Z)]
    elements += [link("rail", 1.0), joint("second", "prismatic", "base", "rail", (1, 0.3, 0), axis=(0, 1, 0))]
    elements += [link("rod", 0.6, (0.2, 0.03, 0.02))]
    balls, names = ball("ball", "bar", "rod", (0.2, 0, 0.1))
    tags += passive(names)
    tags += [loop_joint("end", "spherical", ("rod", (0.8, 0.3, 0)), ("rail", (0, 0, 0.1)), Z)]
    graph = loaded("spinning", [*elements, *balls], tags)
    message = "2 degrees of freedom here and 2 independent coordinates, besides 1 that no motor moves"
    with pytest.raises(ClosureError, match=message):
        md.InverseDynamics(graph).solve([0.0, 0.0], [0.0, 0.0], [0.0, 0.0])
