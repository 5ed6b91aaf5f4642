"""Transitions at random, legal and not, of each lifecycle node as a plain process while it has work to do."""

import os
import time
from contextlib import closing
from random import Random

import numpy as np
import pytest
from lifecycle_msgs.msg import Transition
from lifecycle_msgs.srv import ChangeState, GetState
from modular_dynamics_interfaces.msg import TorsoReactions
from sensor_msgs.msg import JointState

import modular_dynamics as md
from helpers.nodes.node_probe import DEPTH, NodeProbe
from modular_dynamics.modular import Assembly
from modular_dynamics_ros.assembly.files import save_assembly
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from modular_dynamics_ros.player import load_profile

pytestmark = [pytest.mark.ros, pytest.mark.slow, pytest.mark.usefixtures("ros")]
TRANSITIONS = int(os.environ.get("MODULAR_DYNAMICS_TRANSITIONS", "60"))
RATE = 100.0  # [Hz] of the joint states
LEGAL = {
    "unconfigured": {"configure": (1, "inactive")},
    "inactive": {"activate": (3, "active"), "cleanup": (2, "unconfigured")},
    "active": {"deactivate": (4, "inactive")},
}
SHUTDOWN = {"unconfigured": 5, "inactive": 6, "active": 7}
LABELS = ["configure", "cleanup", "activate", "deactivate", "dance", "transition_success", "x" * 5000]
NODES = {
    "dynamics_node": ("charmie", "joint_torques", JointState),
    "torso_reaction_node": ("charmie_torso", "reactions", TorsoReactions),
    "assembly_node": ("charmie", "/joint_states", JointState),
}
ASSEMBLED = ["v1/rotate", "v1/bend"]


class Walk(NodeProbe):
    """A lifecycle node, its answers, and the times between which it was active, as the probe knows them."""

    def __init__(self, root, folder, name):
        robot, topic, kind = NODES[name]
        super().__init__(root / f"urdf/{robot}.urdf", folder)
        self.name, self.state, self.received = name, "unconfigured", []
        self.active = []  # [first, last] possible stamp of an answer [ns]
        self.listen(kind, topic if topic[0] == "/" else f"{name}/{topic}", self.received.append, DEPTH)
        self.motion = load_profile(root / f"config/{robot}_motion.yaml")
        parameters = [f"robot_description_file:={self.urdf}"]
        if name == "torso_reaction_node":
            parameters.append(f"rules_file:={root / 'urdf/charmie_torso_rules.yaml'}")
        elif name == "assembly_node":
            assembly = Assembly(("b", "backbone")).dock("b", 3, "v1", 4, kind="scout")
            save_assembly(assembly, str(folder / "assembly.yaml"), overwrite=False)
            parameters = [f"assembly_file:={folder / 'assembly.yaml'}"]
        self.processes.start(name, *parameters)
        if name != "assembly_node":
            self.node.create_timer(1.0 / RATE, self._on_timer)
        self.clients = {
            kind: self.client(kind, f"{name}/{service}")
            for kind, service in ((ChangeState, "change_state"), (GetState, "get_state"))
        }
        for kind, harmless in ((ChangeState, {"transition": Transition(id=99)}), (GetState, {})):
            self._ask_until_answered(kind, harmless)

    def _on_timer(self):
        q, v, _ = self.motion.sample(time.time() % 2.0)
        self.publish(q, v, self.motion.joint_names)

    def _ask_until_answered(self, kind, request):
        """DDS may know a service before the service knows its client: first responses are lost."""
        futures, again = [], 0.0

        def answered():
            nonlocal again
            if time.monotonic() > again:
                futures.append(self.clients[kind].call_async(kind.Request(**request)))
                again = time.monotonic() + 1.0
            return any(future.done() for future in futures)

        self.spin_until(answered, "a response")

    def ask(self, kind, **request):
        future = self.clients[kind].call_async(kind.Request(**request))
        self.spin_until(lambda: future.done() or self.processes.code(self.name) is not None, "a response")
        assert self.processes.code(self.name) is None, self.processes.log(self.name)
        return future.result()

    def request(self, transition, goal=None):
        """`goal`: the state that a legal transition leads to; None: it is not legal."""
        if goal == "active":
            self.active.append([time.time_ns(), None])
        response = self.ask(ChangeState, transition=transition)
        assert response.success == (goal is not None), (self.state, transition)
        if self.state == "active" and goal is not None:
            self.active[-1][1] = time.time_ns()
        self.state = goal or self.state
        assert self.ask(GetState).current_state.label == self.state
        if self.state == "active":  # and goes on answering
            now = time.time_ns()
            self.spin_until(lambda: self.received and self.stamp(-1) > now, "an answer")

    def stamp(self, index):
        return stamp_nanoseconds(self.received[index].header.stamp)

    def step(self, rng):
        legal = LEGAL[self.state]
        if rng.random() < 0.5:
            label, (number, goal) = rng.choice(sorted(legal.items()))
            form = rng.choice([{"id": number}, {"label": label}, {"id": number, "label": label}])
            self.request(Transition(**form), goal)
            return
        possible = {number for number, _ in legal.values()} | {SHUTDOWN[self.state]}
        number = rng.choice([k for k in [*range(11), 62, 255] if k not in possible])
        label = rng.choice([label for label in LABELS if label not in legal])
        forms = [{"id": number}, {"label": label}, {"id": rng.choice(sorted(possible)), "label": label}]
        self.request(Transition(**rng.choice(forms)))


def is_right(probe, message):
    """Whether an answer is that of its own state."""
    if probe.name == "assembly_node":
        return (list(message.name), list(message.position)) == (ASSEMBLED, [0.0] * len(ASSEMBLED))
    state = probe.states[stamp_nanoseconds(message.header.stamp)]
    order = [state.name.index(name) for name in probe.graph.independent_joint_names]
    q, v = np.array(state.position)[order], np.array(state.velocity)[order]
    if probe.name == "dynamics_node":
        torques = md.inverse_dynamics(probe.graph, q, v, np.zeros(len(q)))
        place = [probe.graph.independent_joint_names.index(name) for name in message.name]
        return len(place) == len(q) and np.allclose(message.effort, torques[place], rtol=1e-12, atol=1e-12)
    torques = md.inverse_dynamics(probe.graph, q, v, np.zeros(len(q)))
    named = dict(zip(probe.graph.independent_joint_names, torques, strict=True))
    return all(abs(one.force - named[one.name]) < 1e-7 for one in message.actuators)


@pytest.mark.parametrize("name", NODES)
def test_a_random_walk_of_transitions_ends_no_node_and_answers_only_while_active(root, tmp_path, name):
    rng = Random(1)
    with closing(Walk(root, tmp_path, name)) as probe:
        for _ in range(TRANSITIONS):
            probe.step(rng)
        probe.request(Transition(label="shutdown"), "finalized")
        probe.request(Transition(label="shutdown"))
        assert len(probe.active) > 3
        stamps = [stamp_nanoseconds(message.header.stamp) for message in probe.received]
        assert all(any(a <= stamp <= (b or stamp) for a, b in probe.active) for stamp in stamps)
        wrong = [message for message in probe.received if not is_right(probe, message)]
        assert wrong == []
        print(f"{name}: {TRANSITIONS} transitions, {len(probe.active)} times active, {len(stamps)} answers")
        assert probe.processes.code(name) is None
        assert probe.processes.end(name) == 0
