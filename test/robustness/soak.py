"""Everything at once for minutes or hours: all kinds of nodes; their memory, descriptors and threads."""

import time
from random import Random

import numpy as np
from modular_dynamics_interfaces.msg import TorsoReactions
from sensor_msgs.msg import JointState

from helpers.paths import ROBOTS, ROOT
from modular_dynamics.motions import load_profile
from modular_dynamics_ros.messages.stamps import stamp_nanoseconds
from papers.charmie_torso.mujoco_loops import MujocoLoops
from robustness import messages
from robustness.harness.judge import DEFAULTS
from robustness.harness.modules import Modules
from robustness.harness.oracle import TOLERANCE
from robustness.harness.resources import Resources, growth, resources_of
from robustness.harness.tally import Effort, Tally
from robustness.harness.target import START, Target
from robustness.transitions import PARAMETERS

__all__ = ["run"]

JOINTS = 38
RATE = 100.0  # [Hz] of joint states for dynamics_node
STEP = 0.05  # [s] from one disturbance to the next
WARM = 0.1  # share of the time after which samples count
MOTION = ROOT / "config/charmie_torso_motion.yaml"
WAITING = 5000  # messages, while this process is busy


def run(effort: Effort, tally: Tally) -> None:
    """Good states at a rate, and disturbances at random; afterwards every node answers."""
    random = Random(effort.seed)
    with Target.of_tree(tally, effort, JOINTS) as target:
        if not target.ready():
            return
        torso, modules = _Torso(target), Modules(target)
        nodes = ("dynamics_node", "torso", *modules.processes)
        pids = {name: target.processes.pid(name) for name in nodes}
        if not all(target.spin_until(answers, START) for answers in (modules.answers, torso.answers)):
            tally.found_wrong("torso_reaction_node or the nodes of modules do not answer")
            return
        samples: dict[str, list[Resources]] = {name: [] for name in pids}
        begin, seconds = time.monotonic(), 60.0 * effort.soak_minutes
        next_sample = begin
        with target.sending(RATE):
            while (now := time.monotonic()) < begin + seconds and all(map(target.alive, pids)):
                _disturb(target, modules, random)
                target.spin(STEP)
                if now >= next_sample:
                    next_sample += max(0.5, seconds / 300.0)
                    for name, pid in pids.items():
                        samples[name].append(resources_of(pid))
        target.recovers("the soak")
        _compare(tally, samples, pids)
        modules.finish()
        torso.finish()
        target.end()


class _Torso:
    """torso_reaction_node and a player in a namespace; MuJoCo, which closes the loops by itself, judges it.

    Compared are the forces of actuators and springs, and what body 2 exerts on body 3: all that does not
    depend on how the rules share the loads.
    """

    def __init__(self, target: Target) -> None:
        self._target, self._tally = target, target.tally
        self._names = load_profile(MOTION).joint_names
        self._peer = MujocoLoops((ROBOTS / "charmie_torso.urdf").read_text(), self._names)
        self._states: dict[int, JointState] = {}
        self._reactions: dict[int, TorsoReactions] = {}  # this process may hear the answer first
        self._first = self._last = self._right = 0
        topic, subscribe = "/torso/torso_reaction_node/reactions", target.node.create_subscription
        subscribe(JointState, "/torso/joint_states", self._on_state, WAITING)
        subscribe(TorsoReactions, topic, self._on_reactions, WAITING)
        node, player = "torso_reaction_node", "joint_state_player"
        target.start(*PARAMETERS[node], kind=node, name="torso", namespace="torso")
        motion = f"motion_file:={MOTION}", "rate:=20.0", "loop:=true"
        target.start(*motion, kind=player, name="player", namespace="torso", autostart=False)

    def answers(self) -> bool:
        """Whether an answer was right."""
        return self._right > 0

    def finish(self) -> None:
        """End the nodes; no answer may have the stamp of a state that was never sent."""
        for name in ("player", "torso"):
            self._target.end(name)

        def unknown() -> list[int]:  # earlier states were sent before they could be heard here
            return [stamp for stamp in self._reactions if stamp > self._first]

        if not self._target.spin_until(lambda: not unknown(), START):
            self._tally.found_wrong(f"reactions of the stamps {unknown()}, which were not sent")

    def _on_state(self, message: JointState) -> None:
        stamp = stamp_nanoseconds(message.header.stamp)
        self._first = self._first or stamp
        self._tally.tried += 1
        self._states[stamp] = message
        if len(self._states) > WAITING:
            del self._states[min(self._states)]
        self._compare(stamp)

    def _on_reactions(self, message: TorsoReactions) -> None:
        stamp = stamp_nanoseconds(message.header.stamp)
        if stamp <= self._last:
            self._tally.found_wrong(f"reactions went back by {(self._last - stamp) * 1e-9:g} s")
        self._last, self._reactions[stamp] = stamp, message
        self._compare(stamp)

    def _compare(self, stamp: int) -> None:
        if stamp not in self._states or stamp not in self._reactions:
            return
        state, message, peer = self._states.pop(stamp), self._reactions.pop(stamp), self._peer
        order = [state.name.index(name) for name in self._names]
        peer(np.array(state.position)[order], np.array(state.velocity)[order], np.zeros(len(order)))
        torques = dict(zip(self._names, peer.tau, strict=True))
        theirs = {name: torques[name] for name in ("act4", "act5")} | peer.tensions
        theirs |= dict(enumerate(peer.reaction("body_3")))
        wrench = next(joint.wrench for joint in message.joints if joint.name == "j3")
        parts = (getattr(part, axis) for part in (wrench.force, wrench.torque) for axis in "xyz")
        ours = {one.name: one.force for one in message.actuators} | dict(enumerate(parts))
        ours |= {one.name: one.tension for one in message.springs}
        unbalanced = max(message.residual_force, message.residual_moment)
        scale = max(map(abs, theirs.values()))
        worst = max((abs(ours.get(name, np.inf) - theirs[name]) for name in theirs), default=np.inf)
        if ours.keys() == theirs.keys() and max(worst, unbalanced) <= TOLERANCE * scale:
            self._right += 1
            self._tally.right += 1
        else:
            text = f"reactions differ by {worst:g} of {scale:g} and are out of balance by {unbalanced:g}"
            self._tally.found_wrong(text, f"{state}\n{message}\n{theirs}")


def _disturb(target: Target, modules: Modules, random: Random) -> None:
    """One of what else may happen to the nodes."""
    kind = random.random()
    if kind < 0.5:
        messages.send_damaged(target, random)
    elif kind < 0.6:
        target.describe(messages.damaged_description(random) if random.random() < 0.5 else target.urdf)
    elif kind < 0.7:
        modules.change(random)
    elif kind < 0.72:
        output = random.choice(("full", "gravity", "full_minus_gravity"))
        of_output = {**DEFAULTS, "output": output}
        target.judge.settings = [*target.judge.settings, of_output]
        if target.set_parameter("output", output):
            target.judge.settings = [of_output]
        else:
            target.tally.found_wrong(f"output:={output} was refused during the soak")
    elif kind < 0.73:
        for label in ("deactivate", "activate"):
            if not target.transition(label):
                target.tally.found_wrong(f"{label} was refused during the soak")


def _compare(tally: Tally, samples: dict[str, list[Resources]], pids: dict[str, int]) -> None:
    for name in pids:
        counted = samples[name][int(WARM * len(samples[name])) :]
        if len(counted) < 6:
            tally.notes.append(f"{name}: too short for a judgement of its memory")
            continue
        text, too_much = growth(counted)
        tally.notes.append(f"{name}: {text}")
        tally.tried += 1
        if too_much:
            tally.found_wrong(f"{name} grows: {text}")
        else:
            tally.right += 1
