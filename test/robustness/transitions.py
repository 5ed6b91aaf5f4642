"""Lifecycle requests at random, legal and not, while joint states come; answers come only while active."""

import time
from random import Random
from typing import Any

from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState

from helpers.paths import ROBOTS
from robustness.harness.tally import Effort, Tally
from robustness.harness.target import START, Target

JOINTS = 6
LEGAL = {
    "unconfigured": {"configure": (1, "inactive")},
    "inactive": {"activate": (3, "active"), "cleanup": (2, "unconfigured")},
    "active": {"deactivate": (4, "inactive")},
}
SHUTDOWN = {"unconfigured": 5, "inactive": 6, "active": 7}
LABELS = ("", "dance", "transition_success", "raise_error", "x" * 5000, "左", "configure ", "ACTIVATE")
PARAMETERS: dict[str, tuple[str, ...]] = {
    "dynamics_node": (),
    "torso_reaction_node": (
        f"robot_description_file:={ROBOTS / 'charmie_torso.urdf'}",
        f"rules_file:={ROBOTS / 'charmie_torso_rules.yaml'}",
    ),
    "assembly_node": (),
}


def run(effort: Effort, tally: Tally) -> None:
    """A walk of each lifecycle node through its states; then SIGINT ends its process."""
    for name, parameters in PARAMETERS.items():
        with Target.of_tree(tally, effort, JOINTS, name) as target:
            target.start(*parameters, autostart=False)
            walk = _Walk(target, Random(effort.seed))
            for _ in range(int(effort.of(20, 300))):
                if not target.alive():
                    break
                walk.step()
            target.end()


class _Walk:
    def __init__(self, target: Target, random: Random) -> None:
        self._target, self._random, self._state = target, random, "unconfigured"
        target.judge.silent_since = time.time_ns()

    def step(self) -> None:
        """One request; a legal one in half of all cases."""
        legal = LEGAL[self._state]
        if self._random.random() < 0.5:
            label, (number, goal) = self._random.choice(sorted(legal.items()))
            form: dict[str, Any] = {"id": number, "label": label}
            form.pop(self._random.choice(("id", "label", "none")), None)
            self._request(form, goal)
        else:
            possible = {number for number, _ in legal.values()} | {SHUTDOWN[self._state]}
            number = self._random.choice([k for k in (*range(11), 62, 255) if k not in possible])
            wrong = [
                label for label in (*LABELS, *(x for of in LEGAL.values() for x in of)) if label not in legal
            ]
            label = self._random.choice([label for label in wrong if label])
            forms = [{"id": number}, {"label": label}, {"id": max(possible), "label": label}]
            self._request(self._random.choice(forms), None)

    def _request(self, form: dict[str, Any], goal: str | None) -> None:
        """`goal`: the state that a legal request leads to; None: it must be refused."""
        target, tally = self._target, self._target.tally
        tally.tried += 1
        if goal == "active":
            target.judge.silent_since = None
        response = target.call(ChangeState, "change_state", START, transition=Transition(**form))
        if goal == "inactive":
            target.judge.silent_since = time.time_ns()
        self._state = goal or self._state
        state = target.call(GetState, "get_state", START)
        label = None if state is None else state.current_state.label
        if response is None or response.success != (goal is not None) or label != self._state:
            answer = None if response is None else response.success
            tally.found_wrong(f"request {str(form)[:90]}: {answer}, in {label}, expected {self._state}")
        elif goal is None:
            tally.refused += 1
        else:
            tally.right += 1
        if target.name == "dynamics_node":
            if self._state == "active":
                target.recovers(f"request {str(form)[:90]}")
            else:
                target.send_for(0.05)
