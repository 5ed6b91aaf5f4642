"""Everything at once for minutes or hours: all kinds of nodes; their memory, descriptors and threads."""

import time
from random import Random

from modular_dynamics_interfaces.msg import TorsoReactions

from helpers.paths import ROOT
from robustness import messages
from robustness.harness.judge import DEFAULTS
from robustness.harness.modules import Modules
from robustness.harness.resources import Resources, growth, resources_of
from robustness.harness.tally import Effort, Tally
from robustness.harness.target import START, Target
from robustness.transitions import PARAMETERS

__all__ = ["run"]

JOINTS = 38
RATE = 100.0  # [Hz] of joint states for dynamics_node
STEP = 0.05  # [s] from one disturbance to the next
WARM = 0.1  # share of the time after which samples count
BALANCE = 1e-6  # [N, N m] residual of torso_reaction_node's equilibrium: a wrong force leaves one
WEIGHT = 55.6 * 9.81  # [N] on body 3 of the torso; the motion adds less than a hundredth


def run(effort: Effort, tally: Tally) -> None:
    """Good states at a rate, and disturbances at random; afterwards every node answers."""
    random = Random(effort.seed)
    with Target.of_tree(tally, effort, JOINTS) as target:
        if not target.ready():
            return
        reactions, modules = _start_torso(target), Modules(target)
        nodes = ("dynamics_node", "torso", *modules.processes)
        pids = {name: target.processes.pid(name) for name in nodes}
        if not all(target.spin_until(answers, START) for answers in (modules.answers, reactions.copy)):
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
        for name in ("player", "torso", "dynamics_node"):
            target.end(name)


def _start_torso(target: Target) -> list[float]:
    """Start torso_reaction_node and the player in a namespace; return the residuals, which are judged."""
    residuals, tally = list[float](), target.tally

    def on_reactions(message: TorsoReactions) -> None:
        residuals.append(max(message.residual_force, message.residual_moment))
        weight = next(joint.wrench.force.z for joint in message.joints if joint.name == "j3")
        tally.tried += 1
        if residuals[-1] <= BALANCE and abs(weight - WEIGHT) < 0.01 * WEIGHT:
            tally.right += 1
        else:
            text = f"reactions out of balance by {residuals[-1]:g}, with {weight:g} N on body 3"
            tally.found_wrong(text, str(message))

    topic = "/torso/torso_reaction_node/reactions"
    target.node.create_subscription(TorsoReactions, topic, on_reactions, 100)
    node, player = "torso_reaction_node", "joint_state_player"
    target.start(*PARAMETERS[node], kind=node, name="torso", namespace="torso")
    motion = f"motion_file:={ROOT / 'config/charmie_torso_motion.yaml'}", "rate:=20.0", "loop:=true"
    target.start(*motion, kind=player, name="player", namespace="torso", autostart=False)
    return residuals


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
