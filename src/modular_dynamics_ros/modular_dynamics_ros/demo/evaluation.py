"""Evaluation of recorded answers: completeness, latency, difference from Pinocchio, weight on the base."""

from dataclasses import dataclass

import numpy as np

import modular_dynamics as md
from modular_dynamics.algebra import rotation_matrix
from modular_dynamics.crosscheck import CrossCheck
from modular_dynamics_ros.demo.recorder import Recorder
from modular_dynamics_ros.diagnostics.counts import LatencySummary, summarise

__all__ = ["Evaluation", "evaluate"]


@dataclass(frozen=True)
class Evaluation:
    """Figures of one run.

    Attributes:
        expected: samples of the motion; sent: joint states that the player reports to have sent.
        times: (m,) of the answered states [s]; ours, theirs: (m, nv) torques [N m or N].
        disagreement: subsystem -> largest |ours - theirs|; largest: largest |theirs| of the whole run.
        weight: vertical force of the ground on the robot (m,) [N]; fewest_wrenches: messages of the
            connection that has the fewest.
    """

    expected: int
    sent: int
    received: int
    times: np.ndarray
    ours: np.ndarray
    theirs: np.ndarray
    disagreement: dict[str, float]
    largest: float
    latency: LatencySummary
    weight: np.ndarray
    fewest_wrenches: int

    @property
    def answered(self) -> int:
        """Joint states that have their torques."""
        return len(self.times)

    @property
    def relative(self) -> float:
        """Largest disagreement relative to the largest torque; NaN without an answer."""
        return float(np.max(list(self.disagreement.values())) / self.largest) if self.answered else np.nan

    def failures(self, threshold: float) -> list[str]:
        """Why the run failed; empty where it did not."""
        reasons = []
        if self.sent != self.expected:
            reasons.append(f"the player sent {self.sent} joint states; the motion has {self.expected}")
        if self.received != self.sent:
            reasons.append(f"of {self.sent} joint states sent {self.received} were received")
        if self.answered < self.received:
            reasons.append(
                f"{self.received - self.answered} of {self.received} joint states were not answered"
            )
        if self.fewest_wrenches < self.answered:
            reasons.append(
                f"connection wrenches are missing for {self.answered - self.fewest_wrenches} answers"
            )
        if unknown := int(np.isnan(self.theirs).any(axis=1).sum()):
            reasons.append(
                f"no reference was received for {unknown} answers: they cannot be compared with Pinocchio"
            )
        elif self.answered and not self.relative <= threshold:
            reasons.append(
                f"torques differ from Pinocchio's by {self.relative:.1e} of the largest one, "
                f"allowed are {threshold:.0e}"
            )
        return reasons


def evaluate(recorder: Recorder, expected: int, sent: int) -> Evaluation:
    """Recompute every answer with Pinocchio from the recorded state and reference, and compare."""
    graph = recorder.graph
    stamps = sorted(recorder.states.keys() & recorder.torques.keys())
    ours = np.array([recorder.torques[stamp] for stamp in stamps]).reshape(len(stamps), graph.nv)
    check = CrossCheck(graph)
    theirs = np.empty_like(ours)
    for row, stamp in enumerate(stamps):
        acceleration = recorder.accelerations[stamp]
        known = np.isfinite(acceleration).all()
        theirs[row] = check.torques(*recorder.states[stamp], acceleration) if known else np.nan
    difference = np.abs(ours - theirs)
    disagreement = {
        subsystem.name: float(difference[:, coordinates_of(graph, subsystem)].max(initial=0.0))
        for subsystem in graph.subsystems
    }
    arrivals = np.array([recorder.arrivals[stamp] for stamp in stamps], dtype=np.int64)
    answers = np.array([recorder.answers[stamp] for stamp in stamps], dtype=np.int64)
    return Evaluation(
        expected=expected,
        sent=sent,
        received=len(recorder.states),
        times=(np.array(stamps, dtype=np.int64) - (stamps[0] if stamps else 0)) * 1e-9,
        ours=ours,
        theirs=theirs,
        disagreement=disagreement,
        largest=float(np.abs(theirs).max(initial=0.0)),
        latency=summarise(answers - arrivals, arrivals),
        weight=_weight(recorder, stamps),
        fewest_wrenches=min(len(messages) for messages in recorder.wrenches.values()),
    )


def coordinates_of(graph: md.SubsystemGraph, subsystem: md.Subsystem) -> list[int]:
    """Where the coordinates of a subsystem stand in tau."""
    return [graph.v_slice(joint.name).start for joint in subsystem.joints if joint.mimic is None]


def _weight(recorder: Recorder, stamps: list[int]) -> np.ndarray:
    """Force of the ground on the robot against gravity, from the published wrenches [N].

    A wrench is given in the child link of the subsystem's first joint:
    R_root_link = R_root_connection R_joint(q).
    """
    graph = recorder.graph
    up = -graph.gravity / (np.linalg.norm(graph.gravity) or 1.0)
    weight = np.zeros(len(stamps))
    for subsystem in graph.subsystems:
        if subsystem.predecessor is not None:
            continue
        first = subsystem.joints[0]
        for row, stamp in enumerate(stamps):
            frame, wrench = recorder.wrenches[subsystem.name].get(stamp, ("", np.full(6, np.nan)))
            rotation = subsystem.connection.x_link_connection.primary
            if frame == subsystem.root_link:
                rotation = (
                    rotation * first.motion(graph.joint_position(first, recorder.states[stamp][0])).primary
                )
            weight[row] += up @ (rotation_matrix(rotation) @ wrench[:3])
    return weight
