"""Bodies cut free: what a situation has to tell."""

import numpy as np
import pytest
import yaml

from helpers.robots.small_rules import DOOR, door
from modular_dynamics.closure.reactions.free_bodies import FreeBodyCuts, LoadCase
from modular_dynamics.closure.reactions.rule_reader import rules_from
from modular_dynamics.closure.reactions.sharing import ReactionSharing
from modular_dynamics.exceptions import StateError


def test_what_the_situation_lacks_is_named():
    sharing, whole = ReactionSharing(rules_from(yaml.safe_load(DOOR))), door()
    with pytest.raises(StateError, match="'closer' is missing in the load case's known forces"):
        sharing(LoadCase(whole.rotations, whole.origins, whole.demands))
    with pytest.raises(StateError, match="'frame' is missing in the load case's origins"):
        sharing(LoadCase(whole.rotations, {"door": np.zeros(3)}, whole.demands, whole.known))
    with pytest.raises(StateError, match="demands of 'door' have shape"):
        sharing(LoadCase(whole.rotations, whole.origins, {"door": np.zeros(3)}, whole.known))


def test_a_line_without_length_is_refused():
    content = yaml.safe_load(DOOR)
    content["joints"]["closer"]["from"] = content["joints"]["closer"]["at"]
    with pytest.raises(StateError, match="joint 'closer': 'from' and 'at' coincide"):
        FreeBodyCuts(rules_from(content))(door())


def test_the_matrix_is_the_moment_and_force_of_every_component():
    rules, turn = rules_from(yaml.safe_load(DOOR)), 0.7
    free = FreeBodyCuts(rules)(door(turn))
    x = np.random.default_rng(0).normal(size=len(rules.unknowns))
    force, moment = np.zeros(3), np.zeros(3)  # in the door's axes, by hand
    for (name, component), value in zip(rules.unknowns, x, strict=True):
        at = np.array(rules.joints[name].at)
        if component == "pull":
            c, s = np.cos(turn), np.sin(turn)
            line = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) @ np.array([0, 0.3, 1.9]) - at
            f = value * line / np.linalg.norm(line)
        else:
            f = value * np.eye(3)["xyz".index(component[1])]
        force, moment = force + f, moment + np.cross(at, f)
    assert np.allclose(free.matrix @ x, [*force, *moment], rtol=0, atol=1e-14)
