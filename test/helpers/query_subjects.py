"""Subjects of requests (a robot and its last answer), their solutions, and Pinocchio's model of them."""

from typing import NamedTuple

import numpy as np

from helpers.oracles.pinocchio_tree import PinocchioTree
from helpers.robots.urdf_text import inertial, joint, robot
from helpers.wrenches import NOW, feed
from modular_dynamics.algebra import Quaternion
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.queries.query_model import QueryModel, RequestedState, Subject, state_of
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import AppliedWrenches, ComputationSettings

ORIENTATION = Quaternion(0.8, 0.1, -0.3, 0.5) * (1.0 / np.linalg.norm([0.8, 0.1, -0.3, 0.5]))
TWIST, BASE_ACCELERATION = np.array([0.3, -0.2, 0.5, 0.7, -0.4, 0.2]), np.array([1.0, 2, -3, 0.5, -0.6, 0.7])


class Solved(NamedTuple):
    """A subject, its model, and one state of it with closed loops and wrenches."""

    subject: Subject
    model: QueryModel
    state: object
    configuration: object
    wrenches: AppliedWrenches

    @property
    def robot(self):
        return self.subject.robot

    def at(self):
        """Return model, configuration and state, which most functions take."""
        return self.model, self.configuration, self.state


def hand():
    """URDF of an arm whose finger mimics another, with a spring, an armature, friction and narrow limits."""
    parts = [
        f"<link name='l{k}'>{inertial(1.0 + k, (0.1, 0.05 * k, -0.1), np.diag([2, 3, 4.0]))}</link>"
        for k in range(5)
    ]
    loss = "<dynamics damping='0.4' friction='0.2'/>"
    mimic = "<mimic joint='j3' multiplier='-0.5' offset='0.1'/>"
    for k, (axis, more) in enumerate(
        (((0, 0, 1), loss), ((0, 1, 0), ""), ((1, 0, 0), loss), ((1, 1, 0), mimic))
    ):
        parent = "l2" if k == 3 else f"l{k}"
        kind = "prismatic" if k == 1 else "revolute"
        parts.append(
            joint(f"j{k + 1}", kind, parent, f"l{k + 1}", (0.1, 0, 0.3), (0.2, 0.1, k), axis, (-1, 1), more)
        )
    tag = "<joint_dynamics joint='j2' armature='0.3' stiffness='50' rest_position='0.1'/>"
    return robot("hand", parts, [tag])


def subject_of(description, *, last=None, partition="", base="", boxes=None, loads=None, **settings):
    """Return a robot as a subject of requests.

    Args:
        last: (q, v) of the joint state that was processed last. boxes: wrenches of black boxes, in their
            connection frames. loads: of black boxes.
    """
    one = Computation(load_robot(description, partition, base_source=base), ComputationSettings(**settings))
    for name, wrench in (boxes or {}).items():
        feed(one, name, wrench)
    answer = None
    if last is not None:
        if base:
            one.base_states.add(
                NOW, one.robot.base.root * ORIENTATION, TWIST if base == "odometry" else 0 * TWIST
            )
        answer = one.compute(one.observe(NOW, *map(np.array, last)), NOW)
    return Subject(one.robot, one.settings, one.wrenches, answer, NOW, loads or {})


def solve(subject, q, v=None, a=None, external=(), **base):
    """Solve a robot at a state of its joints, with external wrenches (link, wrench)."""
    q = np.array(q, dtype=float)
    v, a = (0.0 * q if one is None else np.array(one, dtype=float) for one in (v, a))
    state = state_of(subject.robot, RequestedState(subject.robot.state_names, q, v, a, **base), subject.last)
    model = QueryModel(subject.robot, subject.settings)
    configuration = model.configuration(state, subject.last.configuration if subject.last else None)
    wrenches = model.applied(model.given(subject, external), state)
    return Solved(subject, model, state, configuration, wrenches)


def floating(subject, q, v=None, a=None, external=()):
    """Solve a robot whose base moves, with BASE_ACCELERATION, TWIST and ORIENTATION."""
    motion = {"base": ORIENTATION, "twist": TWIST, "base_acceleration": BASE_ACCELERATION}
    return solve(subject, q, v, a, external, **motion)


class Oracle(PinocchioTree):
    """Pinocchio's model of a solved robot, at its state."""

    def __init__(self, solved):
        super().__init__(solved.robot.graph)
        self.solved, model = solved, solved.model
        self.at = solved.configuration.coordinates
        base = solved.state.base
        self.rates = (
            model.rates(solved.state.v, None if base is None else base.twist),
            model.rates(solved.state.a, None if base is None else base.acceleration),
        )

    def torques(self, v=1.0, a=1.0, g=1.0):
        """Return torques with velocities, accelerations and gravity multiplied by these factors."""
        self.model.gravity.linear = g * np.array(self.graph.gravity)
        return self.inverse_dynamics(self.at, v * self.rates[0], a * self.rates[1])
