"""The state, the wrenches and the solvers of one request, in the thread of services."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import modular_dynamics as md
from modular_dynamics.algebra import Quaternion
from modular_dynamics.text.numbers import LARGEST
from modular_dynamics_ros.computation.black_boxes.sensors import BlackBoxMotions, Load
from modular_dynamics_ros.computation.closed_loop import ClosedLoop
from modular_dynamics_ros.computation.computation import Answer, OpenChain
from modular_dynamics_ros.computation.robot import Robot
from modular_dynamics_ros.computation.torque_terms import TermsSolver
from modular_dynamics_ros.computation.values import (
    TWIST_NAMES,
    AppliedWrenches,
    Array,
    BaseState,
    ComputationSettings,
    Configuration,
    StampedWrench,
    State,
    Wrenches,
)
from modular_dynamics_ros.computation.wrenches.robot_wrenches import RobotWrenches
from modular_dynamics_ros.exceptions import BadMessage, listed, repeated

# causes of a BadMessage about a name, and about what the robot does not allow; all others are about numbers
NAMES = {"unknown frame", "no frame"}
REFUSALS = {"inside a black box", "pose not known", "load not known"}
MOST_TURNED = 0.01  # [rad] rotation of gravity up to which a measured wrench stays valid
SAME = 1e-6  # [rad or m, rad/s or m/s] within which the state of a mimic joint is that of its driver


class QueryError(ValueError):
    """A request that cannot be processed; `code` is the name of a constant of the services."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


def code_of(error: Exception) -> str:
    """Return the name of the constant for an error; UNEXPECTED for errors no request should cause."""
    if isinstance(error, QueryError):
        return error.code
    if isinstance(error, BadMessage):
        of_name = "UNKNOWN_NAME" if error.cause in NAMES else "BAD_STATE"
        return "REFUSED" if error.cause in REFUSALS else of_name
    if isinstance(error, md.UnknownNameError):
        return "UNKNOWN_NAME"
    if isinstance(error, (md.StateError, md.ClosureError)):
        return "BAD_STATE"
    return "REFUSED" if isinstance(error, md.ModularDynamicsError) else "UNEXPECTED"


class BoxWrenches(NamedTuple):
    """Wrenches of black boxes in the last answer by name, at and in the frames of their connection points.

    Attributes:
        measured: (6,) [force, moment]. gravity: (3,) where the robot was processed last [m/s^2].
        loads: known loads there. outdated: boxes whose wrench had stopped and was held.
    """

    measured: Mapping[str, Array]
    gravity: Mapping[str, Array]
    loads: Mapping[str, Load]
    outdated: Collection[str]

    def at(self, gravity: Mapping[str, Array]) -> dict[str, Array]:
        """Return the wrenches for this gravity (3,): where it changed, the load's weight is replaced.

        A wrench of zeros, which stands for one that has stopped, stays.

        Raises:
            BadMessage: gravity has another direction, and the load is not known.
        """
        wrenches = dict(self.measured)
        for name, measured in self.measured.items():
            here, there, load = gravity[name], self.gravity[name], self.loads.get(name)
            if not measured.any():
                continue
            if load is not None and name not in self.outdated:
                wrenches[name] = measured + load.wrench(here) - load.wrench(there)
            elif np.linalg.norm(here - there) > MOST_TURNED * np.linalg.norm(here):
                text = (
                    f"the wrench of black box '{name}' was measured at another pose, where gravity points "
                    "another way at its connection point"
                )
                if name in self.outdated:
                    why = "it had stopped, and where it was measured is not known"
                    raise BadMessage("pose not known", f"{text}: {why}")
                why = "black_box_loads can name what hangs there, with mass 0 where it holds no weight"
                raise BadMessage("load not known", f"{text}: {why}")
        return wrenches


class RequestedState(NamedTuple):
    """The state given in a request.

    Attributes:
        names: of joints; empty: the state processed last. positions, velocities, accelerations: of these
        joints [rad or m, per s, per s^2]; empty velocities or accelerations are zero.
        base: orientation of a floating base in the world; None: as in the last answer.
        twist, base_acceleration: (6,) [linear, angular] as of `BaseState`.
    """

    names: Sequence[str] = ()
    positions: Array = np.zeros(0)
    velocities: Array = np.zeros(0)
    accelerations: Array = np.zeros(0)
    base: Quaternion | None = None
    twist: Array = np.zeros(6)
    base_acceleration: Array = np.zeros(6)


def state_of(robot: Robot, requested: RequestedState, last: Answer | None) -> State:
    """Return the state of all needed joints; joints not named stand still at their last position.

    Args:
        last: the last answer; None: there is none.

    Raises:
        QueryError: an unknown, repeated or missing joint, numbers that are missing, not finite or huge, a
            mimic joint elsewhere than its driver takes it, or an unknown state of the base.
    """
    names, base = requested.names, _base(robot, requested, last)
    numbers = {
        "positions": requested.positions,
        "velocities": requested.velocities,
        "accelerations": requested.accelerations,
    }
    for what, values in numbers.items():
        if len(values) != len(names) and (len(values) or what == "positions"):
            optional = "" if what == "positions" else ", or none at all, which means zero"
            text = f"{what} has {len(values)} values for {len(names)} joint_names; one for each is needed"
            raise QueryError("BAD_STATE", f"{text}{optional}")
        require_usable(what, values, names)
    if not names:
        if last is None:
            raise QueryError("BAD_STATE", _unprocessed("joint_names is empty, which means that state"))
        state = last.state
        # passive joints as in that answer, not as measured
        unknown = np.full_like(state.measured, np.nan)
        return State(state.stamp, state.q, state.v, state.a, unknown, base=state.base)
    require_known(robot, names)
    q, v, a = (
        dict(zip(names, values if len(values) else np.zeros(len(names)), strict=True))
        for values in numbers.values()
    )
    _require_as_driven(robot, q, v, a)
    known = {} if last is None else dict(zip(robot.state_names, last.state.q.tolist(), strict=True))
    if missing := [name for name in robot.state_names if name not in q and name not in known]:
        raise QueryError("BAD_STATE", _unprocessed(f"positions of {listed(missing)} are missing"))
    return State(
        0 if last is None else last.state.stamp,
        np.array([q.get(name, known.get(name, 0.0)) for name in robot.state_names], dtype=float),
        np.array([v.get(name, 0.0) for name in robot.state_names], dtype=float),
        np.array([a.get(name, 0.0) for name in robot.state_names], dtype=float),
        np.array([q.get(name, np.nan) for name in robot.passive_names], dtype=float),
        base=base,
    )


def require_known(robot: Robot, names: Sequence[str]) -> None:
    """Raise QueryError if names are not joints of the robot, are locked, or are repeated."""
    if twice := repeated(names):
        raise QueryError("BAD_STATE", f"{listed(twice)} named more than once")
    known = {joint.name for joint in robot.graph.joints}
    absent = [name for name in names if name not in known]
    if unknown := [name[:80] for name in absent if name not in robot.locked]:
        has = f"whose joints are {listed(robot.state_names, 8)}"
        raise QueryError("UNKNOWN_NAME", f"no joint {listed(unknown)} in '{robot.graph.name}', {has}")
    if absent:
        at = ", ".join(f"'{name}' is locked at {robot.locked[name]:.6g}" for name in absent)
        raise QueryError("REFUSED", f"{at}: leave out what is locked, or unlock it (lock_joints)")


def require_actuators(robot: Robot, names: Sequence[str]) -> None:
    """Raise QueryError if a joint has no actuator, saying why, or as `require_known`."""
    require_known(robot, names)
    for name in names:
        if name in robot.joint_names:
            continue
        driver = robot.graph.driver(robot.graph.joint(name))
        if driver != name:
            why = f"mimics '{driver}', which has the effort of both: name that one instead"
        elif name in robot.passive_names:
            why = "is moved by loops or gears and has no actuator: leave it out"
        else:
            why = "is inside a black box, or the base, and takes no effort: leave it out"
        raise QueryError("REFUSED", f"'{name}' {why}")


def require_usable(what: str, values: Array, names: Sequence[str]) -> None:
    """Raise QueryError if one of the values (..., n) of names is not finite, or above the limit.

    The limit is that of descriptions: beyond it results have no correct digit.
    """
    if (usable := np.abs(values) <= LARGEST).all():  # False for NaN
        return
    place = tuple(np.argwhere(~usable)[0])
    point = f" at point {place[0]}" if values.ndim > 1 else ""
    value = float(values[place])
    fault = f"{value:g}; sizes of at most {LARGEST:g} are taken" if np.isfinite(value) else "NaN or infinite"
    raise QueryError("BAD_STATE", f"{what}{point}: that of '{names[place[-1]]:.80}' is {fault}")


def _require_as_driven(robot: Robot, *values: dict[str, float]) -> None:
    """Raise QueryError if a mimic joint is named with a value other than its driver causes."""
    for joint in robot.graph.joints:
        mimic = joint.mimic
        if mimic is None or joint.name not in values[0]:
            continue
        if mimic.joint not in values[0]:
            text = f"'{joint.name}' mimics '{mimic.joint}', which is not named: name that one instead"
            raise QueryError("BAD_STATE", text)
        for of, offset in zip(values, (mimic.offset, 0.0, 0.0), strict=True):
            expected = mimic.multiplier * of[mimic.joint] + offset
            if abs(of[joint.name] - expected) > SAME * max(1.0, abs(expected)):
                text = f"'{joint.name}' mimics '{mimic.joint}', which takes it to {expected:.6g}"
                raise QueryError("BAD_STATE", f"{text}, not {of[joint.name]:.6g}; leave it out")


def _base(robot: Robot, requested: RequestedState, last: Answer | None) -> BaseState | None:
    """Return the requested state of a base; None without a base."""
    moves = bool(requested.twist.any() or requested.base_acceleration.any())
    for what, values in (("base_twist", requested.twist), ("base_acceleration", requested.base_acceleration)):
        require_usable(what, values, TWIST_NAMES)
    if robot.base is None or robot.base.source == "imu":
        given = robot.base is None and requested.base is not None and abs(requested.base.w) != 1.0
        if moves or given:
            what = "base_twist and base_acceleration are" if moves else "base_pose is"
            text = f"{what} given, but '{robot.graph.name}' has a fixed root: {robot.mounting}"
            raise QueryError("REFUSED", text)
        if robot.base is None:
            return None
    if not requested.names and (requested.base is not None or moves):
        text = "joint_names is empty, which means the state processed last, but a state of the base is given"
        raise QueryError("BAD_STATE", f"{text}; name the joints, too, or leave the base out")
    if requested.base is not None:
        orientation = robot.base.root * requested.base
    elif last is not None and last.state.base is not None:
        orientation = last.state.base.orientation
    else:
        raise QueryError("BAD_STATE", _unprocessed("base_pose is zero, which means that of the last answer"))
    return BaseState(orientation, requested.twist, requested.base_acceleration)


def _unprocessed(what: str) -> str:
    """Return an error text about a value that only an earlier answer could supply."""
    return f"{what}, but no joint state of this robot has been processed yet: give all of them"


@dataclass(frozen=True, eq=False)
class Subject:
    """The robot and its inputs at the time of a request.

    Attributes:
        wrenches: from topics; other threads may change them. last: the last answer. now: [ns].
        loads: beyond the connection points of black boxes, by their names. description: digest of the
        robot's; empty: not known.
    """

    robot: Robot
    settings: ComputationSettings
    wrenches: RobotWrenches
    last: Answer | None
    now: int
    loads: Mapping[str, Load] = field(default_factory=dict)
    description: str = ""


class GivenWrenches(NamedTuple):
    """Wrenches on the robot: external ones by link, and those of black boxes; None: there are none."""

    external: Wrenches
    boxes: BoxWrenches | None


class QueryModel:
    """The solvers of one robot, for one thread.

    Args:
        solver: of this robot and for this thread; None: a new one.

    Attributes:
        solver: inverse dynamics.

    Raises:
        RobotError: the robot has no configuration with closed loops.
    """

    def __init__(
        self, robot: Robot, settings: ComputationSettings, solver: OpenChain | ClosedLoop | None = None
    ) -> None:
        self.robot = robot
        self.solver: OpenChain | ClosedLoop = solver or (
            ClosedLoop(robot, settings.closure_tolerance) if robot.closed else OpenChain(robot)
        )

    def set_tolerance(self, tolerance: float) -> None:
        """Set the largest difference of given passive joints from closed loops [rad or m]."""
        if isinstance(self.solver, ClosedLoop):
            self.solver.mode.tolerance = tolerance

    @cached_property
    def terms(self) -> TermsSolver:
        """Solver that splits torques into terms."""
        return TermsSolver(self.robot, self.solver)

    def configuration(self, state: State, last: Configuration | None) -> Configuration:
        """Return all joints at a state, with loops closed from the last answer.

        Raises:
            BadMessage: the loops do not close.
        """
        if isinstance(self.solver, ClosedLoop):
            return self.solver.mode.close_from(state, last)
        return self.solver.configuration_at(state)

    def given(self, subject: Subject, external: Sequence[StampedWrench]) -> GivenWrenches:
        """Return a request's external wrenches by frame, and those of black boxes in the last answer.

        Raises:
            BadMessage: an unknown frame, a link in a black box; a black box that has not sent a wrench or
                has stopped, or no answer.
        """
        on_links: dict[str, Array] = {}
        for frame, values in external:
            link = self.robot.link(frame)
            subject.wrenches.links.require_outside(link)
            on_links[link] = on_links.get(link, np.zeros(6)) + values
        return GivenWrenches(on_links or None, self._boxes(subject))

    def _boxes(self, subject: Subject) -> BoxWrenches | None:
        """Return the wrenches of black boxes in the last answer; None: there are none."""
        if not self.robot.black_boxes:
            return None
        subject.wrenches.boxes(subject.now, subject.settings)  # raises where one is missing
        if (last := subject.last) is None:
            text = (
                "no joint state was processed since the robot was loaded or changed: its position when the "
                f"wrench of black box {listed(self.robot.black_boxes)} was measured is not known"
            )
            raise BadMessage("pose not known", text)
        wrenches, gravity = last.wrenches, self._gravity(last.state)
        return BoxWrenches(wrenches.black_box or {}, gravity, subject.loads, wrenches.stopped)

    def applied(self, given: GivenWrenches, state: State) -> AppliedWrenches:
        """Return the given wrenches as applied at a state.

        Raises:
            BadMessage: gravity has another direction than when a wrench of a black box was measured, whose
                load is not known.
        """
        boxes = None if given.boxes is None else given.boxes.at(self._gravity(state))
        return AppliedWrenches(given.external, boxes)

    def _gravity(self, state: State) -> dict[str, Array]:
        """Return gravity (3,) [m/s^2] by black box, in the frame of its connection point."""
        motions = self._motions(self.robot, state)
        return {name: motion.gravity_at_point for name, motion in motions.items()}

    @cached_property
    def _motions(self) -> BlackBoxMotions:
        return BlackBoxMotions(self.robot)

    def rates(self, joints: Array, of_base: Array | None) -> Array:
        """Return a vector of the solver, such as velocities, from values of the joints (n,) and the base."""
        if self.robot.base is not None:
            return self.robot.base.rates(joints, of_base)
        every = np.zeros(self._count)
        every[self.joints] = joints
        return every

    @cached_property
    def coordinates(self) -> tuple[NDArray[np.intp], list[str]]:
        """Return indices and names of the velocities in equations of motion.

        Their indices in the solver's vectors, rising, and their names: those of joints; of a floating base
        six, such as "base.linear.x".
        """
        named = dict(zip(self.joints.tolist(), self.robot.state_names, strict=True))
        base = self.robot.base
        if base is not None and base.source != "imu":
            of_base = (f"base.{name}" for name in TWIST_NAMES)
            named |= dict(zip(range(base.velocities.start, base.velocities.stop), of_base, strict=True))
        indices = sorted(named)
        return np.array(indices, dtype=np.intp), [named[index] for index in indices]

    @property
    def joints(self) -> NDArray[np.intp]:
        """Return the indices of the state's joints in the solver's vectors."""
        robot = self.robot
        if robot.base is not None:
            return robot.base.rate_indices
        return np.arange(len(robot.state_names)) if robot.closed else robot.indices

    @property
    def _count(self) -> int:
        return len(self.robot.state_names) if self.robot.closed else self.robot.graph.nv
