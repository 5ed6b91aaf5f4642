"""Equations (5) to (25) as printed and corrected, by MuJoCo's motions, beside the rules of the library."""

import numpy as np
import pytest

from helpers.robots.charmie_torso import EQUILIBRIUM, INSTANTS, RULES, URDF, motion
from helpers.robots.small_torso import load, small_torso_text
from modular_dynamics.loops import RobotReactions
from papers.charmie_torso.equations import GIVES, SLIPS, by_mujoco, by_rules, solved
from papers.charmie_torso.mujoco_loops import MujocoLoops
from papers.charmie_torso.robot_picture import forces_on, loads_on
from papers.charmie_torso.torso_mujoco import solve_both


@pytest.fixture(scope="module", params=["small_torso", "charmie_torso"])
def cases(request):
    """States of a torso: equations, these as printed, the same by rules and by MuJoCo."""
    graph = load(small_torso_text() if request.param == "small_torso" else URDF)
    names, rng = graph.independent_joint_names, np.random.default_rng(3)
    peer, sharing = MujocoLoops(graph.urdf, names), RobotReactions(graph, RULES)
    spread = np.array([0.03 if name.startswith("act") else 1.0 for name in names])
    found = []
    for _ in range(4):
        dynamics = solve_both(graph, peer, spread * rng.uniform(-1, 1, (3, len(names))))
        shared = sharing(dynamics).by_name(RULES)
        found.append((*solved(graph.urdf, peer), by_rules(shared, peer), by_mujoco(peer)))
    return found


def test_the_rules_are_the_printed_equations(cases):
    for values, _, rules, _ in cases:
        assert set(values) == set(GIVES) == set(rules) | {"7"}
        for number, value in rules.items():
            assert values[number] == pytest.approx(value, abs=EQUILIBRIUM), number


def test_what_equilibrium_determines_is_mujoco_s(cases):
    for values, _, _, general in cases:
        assert len(general) == 12
        for number, value in general.items():
            assert values[number] == pytest.approx(value, abs=EQUILIBRIUM), number


def test_each_misprint_changes_a_result(cases):
    for number in SLIPS:
        apart = [np.abs(values[number] - printed[number]).max() for values, printed, _, _ in cases]
        assert max(apart) > 1.0, number


def test_drawn_forces_are_all_that_acts_on_a_body():
    """Their sum is m (p'' - g): arrows of the free bodies have the right signs and axes."""
    graph = load(URDF)
    peer, sharing = MujocoLoops(URDF, graph.independent_joint_names), RobotReactions(graph, RULES)
    reactions = sharing(solve_both(graph, peer, motion(graph, INSTANTS[70])))
    for body in ("body_5", "body_4", "body_4sr"):
        forces = [*forces_on(RULES, graph.links, reactions, body)]
        forces += loads_on(peer, body, RULES.bodies, np.asarray(graph.gravity))
        total = sum(one.force for one in forces if one.name != "weight")
        assert total == pytest.approx(peer.inertial_load(body)[1], abs=EQUILIBRIUM), body
        for one in forces:
            if one.name in RULES.joints:
                joint = RULES.joints[one.name]
                first = joint.start if "pull" in joint.transmits and joint.by == body else joint.at
                assert one.point == pytest.approx(peer.point(str(first), body), abs=1e-12), one.name
