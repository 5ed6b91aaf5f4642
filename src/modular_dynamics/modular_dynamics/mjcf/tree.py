"""Bodies and joints of a compiled model -> links and joints, as a URDF would describe them.

MuJoCo places a body by the joints of its element, one after the other (mj_kinematics):
x_parent_body = x(pos, quat) X_1(q_1) ... X_k(q_k), with X(q) = T(anchor) R(axis, q - ref) T(-anchor) for a
hinge and T(axis (q - ref)) for a slide. Several joints become a chain with massless links between. A joint
whose anchor is not the body's origin moves a link at the anchor, to which the body's own link is fixed.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..algebra import DualQuaternion, Quaternion, pose, rotation_about, rotation_matrix
from ..exceptions import MjcfError, UnsupportedModelError
from ..model import Finding, Limits
from ..model.joint_order import Names, name_in_mujoco
from ..text.numbers import LARGEST, STIFFEST
from ..urdf.description import JointDescription, LinkDescription, RobotDescription, free_name
from .source import Disable, Joint, SameFrame, Transmission, Wrap

# Actuators of a compiled model: the joints that they drive, their armature, damping and limits.


@dataclass(frozen=True)
class Actuators:
    """The effects of actuators on joints; all but the last by MuJoCo's index of the joint (njnt,).

    Attributes:
        driven: whether an actuator acts on the joint, directly or through a fixed tendon.
        armature [kg m^2 or kg], damping [N m s/rad or N s/m]: what actuators add to the joint's own, their
            values times gear^2.
        effort: the largest torque or force of the actuators together [N m or N]; None if not limited.
        tendon_armature: armature of each tendon (ntendon,), that of its actuators included [kg].
    """

    driven: tuple[bool, ...]
    armature: tuple[float, ...]
    damping: tuple[float, ...]
    effort: tuple[float | None, ...]
    tendon_armature: tuple[float, ...]


def tendon_joints(model: Any, tendon: int) -> dict[int, float]:
    """Return coefficients of a fixed tendon by joint, added up for each joint; empty for a spatial tendon."""
    joints: dict[int, float] = {}
    for k in range(model.tendon_adr[tendon], model.tendon_adr[tendon] + model.tendon_num[tendon]):
        if model.wrap_type[k] == Wrap.JOINT:
            joint = int(model.wrap_objid[k])
            joints[joint] = joints.get(joint, 0.0) + float(model.wrap_prm[k])
    return joints


def read_actuators(model: Any) -> Actuators:
    """Return the actuators of a compiled model (mujoco.MjModel).

    Transmissions to joints and to tendons are read; others (sites, bodies, sliders) drive no joint.
    """
    n = model.njnt
    driven, armature, damping = [False] * n, [0.0] * n, [0.0] * n
    limits: list[list[float | None]] = [[] for _ in range(n)]
    of_tendons = model.tendon_armature.tolist()
    for k, kind in enumerate(model.actuator_trntype):
        target = int(model.actuator_trnid[k, 0])
        gear = float(model.actuator_gear[model.actuator_outadr[k], 0])
        own_armature = float(model.actuator_armature[k]) * gear**2
        own_damping = float(model.actuator_damping[k]) * gear**2
        if kind in (Transmission.JOINT, Transmission.JOINTINPARENT):
            driven[target] = True
            armature[target] += own_armature
            damping[target] += own_damping
            limited = bool(model.actuator_forcelimited[k])
            force = float(abs(model.actuator_forcerange[k]).max()) * abs(gear)
            limits[target].append(force if limited else None)
        elif kind == Transmission.TENDON:
            of_tendons[target] += own_armature
            for joint in tendon_joints(model, target):
                driven[joint] = True
                limits[joint].append(None)
    effort = tuple(_effort(model, joint, forces) for joint, forces in enumerate(limits))
    return Actuators(tuple(driven), tuple(armature), tuple(damping), effort, tuple(of_tendons))


def _effort(model: Any, joint: int, forces: list[float | None]) -> float | None:
    """Return the joint's own limit of actuator forces, else the sum of its actuators' limits."""
    if model.jnt_actfrclimited[joint]:
        return float(abs(model.jnt_actfrcrange[joint]).max())
    known = [force for force in forces if force is not None]
    return sum(known) if known and len(known) == len(forces) else None


Array = NDArray[np.float64]


def pose_of(position: Array, quaternion: Array) -> DualQuaternion:
    """Return the pose of a position [m] and a quaternion w x y z, normalized.

    Raises MjcfError: a quaternion of length zero, which MuJoCo's compiler does not leave.
    """
    rotation = Quaternion(*np.asarray(quaternion, float).tolist())
    if rotation.norm() == 0.0:
        raise MjcfError("a body, site or equality constraint of the model has a quaternion of length zero")
    return pose(rotation * (1.0 / rotation.norm()), position)


def site_frame(model: Any, site: int) -> tuple[int, DualQuaternion]:
    """Return the body of a site, and the site's pose in it."""
    return int(model.site_bodyid[site]), pose_of(model.site_pos[site], model.site_quat[site])


def read_tree(
    model: Any, names: Names, locked: Mapping[int, float], actuators: Actuators
) -> RobotDescription:
    """Return links and joints of a compiled model; ``locked``: fixed positions of joints [rad or m]."""
    robot = RobotDescription(name_in_mujoco(model, 0), {}, {})  # the table of names begins with the model's
    robot.links[names.bodies[0]] = LinkDescription(names.bodies[0])
    for body in range(1, model.nbody):
        _add_body(robot, _BodyReader(model, names, locked, actuators, body))
    return robot


class _BodyReader:
    """A reader of one body of the compiled model."""

    def __init__(
        self, model: Any, names: Names, locked: Mapping[int, float], actuators: Actuators, body: int
    ) -> None:
        self.model, self.names, self.locked, self.actuators = model, names, locked, actuators
        self.name, self.parent = names.bodies[body], names.bodies[model.body_parentid[body]]
        first = model.body_jntadr[body]
        self.joints = range(first, first + model.body_jntnum[body])
        self.x_parent_body = pose_of(model.body_pos[body], model.body_quat[body])
        self.body = body

    def link(self) -> LinkDescription:
        """Return mass, centre of mass and inertia in the body's frame.

        Where the inertial frame is the body's up to rounding (body_sameframe), MuJoCo uses the body's.
        """
        model, k = self.model, self.body
        same = model.body_sameframe[k]
        com = np.zeros(3) if same == SameFrame.BODY else np.array(model.body_ipos[k], float)
        upright = same in (SameFrame.BODY, SameFrame.BODYROT)
        principal = np.eye(3) if upright else rotation_matrix(pose_of(com, model.body_iquat[k]).primary)
        inertia = principal * model.body_inertia[k] @ principal.T
        return LinkDescription(self.name, float(model.body_mass[k]), com, 0.5 * (inertia + inertia.T))

    def joint(self, k: int, parent: str, child: str, before: DualQuaternion) -> JointDescription:
        """Return joint k between two links; ``before``: body's pose in the parent link without this joint."""
        model, kind = self.model, self.model.jnt_type[k]
        if kind == Joint.FREE:
            return self._described(k, "floating", parent, child, DualQuaternion.identity)
        before = before * _shift(self.anchor(k))
        if kind == Joint.BALL:
            return self._described(k, "spherical", parent, child, before)
        axis, start = model.jnt_axis[k].copy(), -float(model.qpos0[model.jnt_qposadr[k]])
        if k in self.locked:
            x = before * _motion(kind, axis, start + self.locked[k])
            return JointDescription(self.names.joints[k], "fixed", parent, child, x)
        limited = bool(model.jnt_limited[k])
        turning = "revolute" if limited else "continuous"
        x = before * _motion(kind, axis, start)
        return self._described(k, turning if kind == Joint.HINGE else "prismatic", parent, child, x)

    def anchor(self, k: int) -> Array:
        """Return the point of the body about which joint k turns, in the body's frame [m].

        Zero for slides and free joints, on which it has no effect.
        """
        turns = self.model.jnt_type[k] in (Joint.HINGE, Joint.BALL)
        return np.array(self.model.jnt_pos[k], float) if turns else np.zeros(3)

    def _described(self, k: int, kind: str, parent: str, child: str, x: DualQuaternion) -> JointDescription:
        """Return joint k as described by the model, of a type and at a pose in the parent link."""
        model, dof = self.model, self.model.jnt_dofadr[k]
        single = model.jnt_type[k] in (Joint.HINGE, Joint.SLIDE)
        free = model.jnt_type[k] == Joint.FREE
        rest = float(model.qpos_spring[model.jnt_qposadr[k]]) if single else 0.0
        off = model.opt.disableflags
        stiffness = 0.0 if off & Disable.SPRING else float(model.jnt_stiffness[k])
        damping = 0.0 if off & Disable.DAMPER else float(model.dof_damping[dof]) + self.actuators.damping[k]
        return JointDescription(
            name=self.names.joints[k],
            type=kind,
            parent=parent,
            child=child,
            x_parent_joint=x,
            axis=model.jnt_axis[k].copy(),
            limits=self._limits(k),
            damping=damping,
            friction=0.0 if off & Disable.FRICTIONLOSS else float(model.dof_frictionloss[dof]),
            armature=0.0 if free else float(model.dof_armature[dof]) + self.actuators.armature[k],
            stiffness=stiffness,
            rest_position=rest if stiffness else 0.0,
        )

    def _limits(self, k: int) -> Limits:
        """Return the limits of joint k; none for joints with several coordinates."""
        model = self.model
        if model.jnt_type[k] not in (Joint.HINGE, Joint.SLIDE):
            return Limits()
        lower, upper = map(float, model.jnt_range[k]) if model.jnt_limited[k] else (None, None)
        return Limits(lower, upper, effort=self.actuators.effort[k])


def _add_body(robot: RobotDescription, body: _BodyReader) -> None:
    """Add a body's joints, one after the other with massless links between, and its link."""
    parent, x_parent_body = body.parent, body.x_parent_body
    for k in body.joints:
        after = _shift(-body.anchor(k))
        own = k == body.joints[-1] and not body.anchor(k).any()
        between = f"{body.name}/{body.names.joints[k]}"
        child = body.name if own else free_name(between, robot.links, body.names.bodies, mark="'")
        joint = body.joint(k, parent, child, x_parent_body)
        robot.joints[joint.name] = joint
        if not own:
            robot.links[child] = LinkDescription(child)
        parent, x_parent_body = child, after
    if parent != body.name:
        name = free_name(f"{body.name} (fixed)", robot.joints, body.names.joints, mark="'")
        robot.joints[name] = JointDescription(name, "fixed", parent, body.name, x_parent_body)
    robot.links[body.name] = body.link()


def _shift(position: Array) -> DualQuaternion:
    """Return the pose of a translation."""
    return pose(Quaternion(1.0), position)


def _motion(kind: int, axis: Array, value: float) -> DualQuaternion:
    """Return the motion of a slide or hinge by a value along or about its axis."""
    return _shift(axis * value) if kind == Joint.SLIDE else pose(rotation_about(axis, value), np.zeros(3))


# Elements of a compiled model that a graph cannot express: an error, a warning or a note names them.

#: Fields of a model, besides those of bodies, of which numbers are read.
_READ = (
    *("jnt_pos", "jnt_axis", "jnt_stiffness", "qpos0", "qpos_spring", "dof_armature", "dof_damping"),
    *("dof_frictionloss", "eq_data", "site_pos", "site_quat", "tendon_stiffness", "tendon_damping"),
    *("tendon_lengthspring", "tendon_length0", "wrap_prm", "actuator_gear"),
)
#: Endings of fields of springs, dampers, friction and drives.
_OF_FORCES = ("stiffness", "armature", "damping", "frictionloss")
#: Ends of findings on numbers that only a simulation uses, and on implausible ones.
IGNORED, _AS_GIVEN = ", which is ignored", ", which is used as given"
#: Largest difference of an axis's length from one.
_LENGTH_ROUNDING = 1e-9


def check_numbers(model: Any, names: Names) -> None:
    """Check that numbers are finite and bounded, axes have a direction, and no mass or moment is negative.

    MuJoCo's compiler lets some NaN pass with a warning, and a model may have been changed afterwards.

    Raises:
        MjcfError: names the body or the field of the model.
    """
    for k, name in enumerate(names.bodies):
        values = [model.body_mass[k : k + 1], model.body_inertia[k], model.body_ipos[k], model.body_iquat[k]]
        if not all(np.isfinite(value).all() for value in (*values, model.body_pos[k], model.body_quat[k])):
            raise MjcfError(f"body '{name}' has a mass, inertia or pose that is not finite")
        if min(map(np.min, values[:2])) < 0.0:
            raise MjcfError(f"body '{name}' has a negative mass or principal moment of inertia")
    for field in _READ:
        rows = np.asarray(getattr(model, field))
        most = STIFFEST if field.endswith(_OF_FORCES) else LARGEST
        for row in dict.fromkeys(np.argwhere(~(np.abs(rows) <= most))[:, 0]):
            raise MjcfError(
                f"{field}[{row}] of MuJoCo's model is {rows[row]}; numbers up to {most:g} are needed"
            )
    for k, name in enumerate(names.joints):
        turns_or_slides = model.jnt_type[k] in (Joint.HINGE, Joint.SLIDE)
        if turns_or_slides and abs(np.linalg.norm(model.jnt_axis[k]) - 1.0) > _LENGTH_ROUNDING:
            raise MjcfError(f"joint '{name}' has the axis {model.jnt_axis[k]}, whose length is not one")


def check_supported(model: Any, names: Names) -> None:
    """Raise an error for elements that exert forces which a graph cannot express.

    Raises:
        UnsupportedModelError: a deformable body, a plugin, a plastic or nonlinear spring, or a spring at a
            joint with several coordinates; names the element.
    """
    if model.nflex:
        raise UnsupportedModelError("the model has flexible bodies (flex); only rigid bodies are supported")
    for name in _where(names.bodies, lambda k: model.body_plugin[k] >= 0):
        raise UnsupportedModelError(
            f"body '{name}' has a plugin that exerts forces; plugins are not supported"
        )
    if model.opt.disableflags & Disable.SPRING:
        return
    for description, is_present in (
        ("stiffness of higher order", lambda k: model.jnt_stiffnesspoly[k].any()),
        ("a plastic spring", lambda k: _yields(model, "jnt", k)),
        (
            "a spring although it has several coordinates",
            lambda k: model.jnt_stiffness[k] and model.jnt_type[k] in (Joint.FREE, Joint.BALL),
        ),
    ):
        for name in _where(names.joints, is_present):
            raise UnsupportedModelError(f"joint '{name}' has {description}, which is not supported")
    for k in range(model.ntendon):
        if model.tendon_stiffnesspoly[k].any() or _yields(model, "tendon", k):
            raise UnsupportedModelError(f"tendon {k} has a plastic spring or stiffness of higher order")


def findings_about(model: Any, names: Names) -> Iterator[Finding]:
    """Yield findings on simulation forces that the graph leaves out, and on implausible joint numbers."""
    gravity = not model.opt.disableflags & Disable.GRAVITY
    for name in _where(names.bodies, lambda k: gravity and model.body_gravcomp[k]):
        text = f"body '{name}' has gravity compensation (gravcomp)"
        yield Finding("gravity compensation", "body", name, text, assumed=IGNORED)
    if model.opt.density or model.opt.viscosity:
        text, assumed = "the medium has density or viscosity", "; its forces are ignored"
        yield Finding("medium", "model", "option", text, assumed=assumed)
    armature = model.dof_armature[model.jnt_dofadr]
    for name in _where(names.joints, lambda k: model.jnt_type[k] == Joint.FREE and armature[k]):
        text, assumed = f"free joint '{name}', which has no drive, has armature", "; it is ignored"
        yield Finding("armature of a free joint", "joint", name, text, assumed=assumed)
    dofs = [names.joints[k] for k in model.dof_jntid]
    for name in dict.fromkeys(_where(dofs, lambda k: model.dof_dampingpoly[k].any())):
        text = f"joint '{name}' has damping of higher order"
        yield Finding("damping of higher order", "joint", name, text, assumed=IGNORED)
    for what in ("damping", "frictionloss", "armature"):
        negative = np.flatnonzero(getattr(model, f"dof_{what}") < 0.0)
        for name in dict.fromkeys(dofs[k] for k in negative):
            text = f"joint '{name}' has a negative {what}"
            yield Finding(f"negative {what}", "joint", name, text, assumed=_AS_GIVEN)
    for name in _where(names.joints, lambda k: model.jnt_stiffness[k] < 0.0):
        text = f"joint '{name}' has a negative stiffness"
        yield Finding("negative stiffness", "joint", name, text, assumed=_AS_GIVEN)


def notes_on(model: Any, names: Names) -> list[str]:
    """Return one sentence for each kind of element that a rigid-body model leaves out."""
    notes = []
    if count := len(model.actuator_trntype):
        notes.append(f"forces of {count} actuators are ignored; they say which joints are driven")
    if (model.geom_contype | model.geom_conaffinity).any() or model.npair:
        notes.append("contacts are ignored")
    if mocap := _where(names.bodies, lambda k: model.body_mocapid[k] >= 0):
        notes.append(f"mocap bodies are fixed to the world: {', '.join(mocap)}")
    if balls := _where(names.joints, lambda k: model.jnt_type[k] == Joint.BALL and model.jnt_limited[k]):
        notes.append(f"limits of ball joints are ignored: {', '.join(balls)}")
    return notes


def _where(names: Any, condition: Callable[[int], Any]) -> list[str]:
    """Return the names of the elements whose index fulfils a condition."""
    return [name for k, name in enumerate(names) if condition(k)]


def _yields(model: Any, kind: str, k: int) -> bool:
    """Return whether the spring of joint or tendon k is plastic; MuJoCo 3.17 has no plastic springs."""
    limits = getattr(model, f"{kind}_springyield", None)
    return limits is not None and bool(np.any(limits[k]))
