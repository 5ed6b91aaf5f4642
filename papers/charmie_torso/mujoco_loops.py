"""MuJoCo on a URDF with closed loops: positions, accelerations, torques and reactions.

MuJoCo's own parser reads the tree. The tags become pairs of `connect` constraints, two points on each cut
axis, tendons for the springs, and for each gear a tendon of constant length over its joints. MuJoCo's
constraints are soft: in mj_inverse their forces depend on the constraint violation. Here they are exact:
MuJoCo's constraint Jacobian J closes the loops (Newton's method) and yields velocities and accelerations of
the dependent joints; the constraint forces f follow from the equilibrium of these joints, J_d^T f = (M a +
bias - springs)_d. Of many solutions, f is the one of least norm: torques and ground reactions are the same
in all of them. It uses nothing of modular_dynamics.
"""

import sys
from collections.abc import Sequence

import mujoco
import numpy as np
from lxml import etree
from numpy.typing import NDArray

Array = NDArray[np.float64]
#: MuJoCo rejects moving bodies without mass: it raises them to this [kg, kg m^2], set to 0 afterwards.
LEAST_MASS, LEAST_INERTIA = 1e-9, 1e-12
HALF = 0.1  # m, from a cut joint's point to either `connect` on its axis
RANK = 1e-9  # smaller singular values, relative to the largest, count as zero
CLOSED = 1e-14  # m, rad: the last step of Newton's method, rounding
OFF = mujoco.mjtDisableBit.mjDSBL_LIMIT | mujoco.mjtDisableBit.mjDSBL_CONTACT
SITE, BODY = mujoco.mjtObj.mjOBJ_SITE, mujoco.mjtObj.mjOBJ_BODY


def warn_on_stderr() -> None:
    """Let MuJoCo write its warnings to stderr; by itself it writes MUJOCO_LOG.TXT in the current folder."""
    mujoco.set_mju_user_warning(lambda text: print(f"MuJoCo: {text}", file=sys.stderr))


def parsed_without_shapes(urdf: str) -> etree._Element:
    """Return the URDF without shapes, whose mesh files may be elsewhere and would collide."""
    robot = etree.fromstring(urdf.encode())
    etree.strip_elements(robot, "visual", "collision", with_tail=False)
    return robot


def specification(robot: etree._Element) -> mujoco.MjSpec:
    """Return the tree by MuJoCo's own parser."""
    warn_on_stderr()
    spec = mujoco.MjSpec.from_string(etree.tostring(robot, encoding="unicode"))
    spec.compiler.fusestatic = False
    spec.compiler.boundmass, spec.compiler.boundinertia = LEAST_MASS, LEAST_INERTIA
    return spec


def rigid_model(spec: mujoco.MjSpec) -> mujoco.MjModel:
    """Return the model: rigid bodies without limits, contacts, damping and friction."""
    model = spec.compile()
    model.opt.jacobian, model.opt.disableflags = mujoco.mjtJacobian.mjJAC_DENSE, OFF
    model.body_mass[model.body_mass <= LEAST_MASS] = 0.0
    model.body_inertia[model.body_inertia <= LEAST_INERTIA] = 0.0
    model.dof_damping[:] = model.dof_frictionloss[:] = 0.0
    return model


class MujocoLoops:
    """A mechanism whose loops determine all joints but the ``independent`` ones; call it, then query it.

    Attributes (after a call; all in MuJoCo's world axes unless said otherwise):
        coordinates, velocities, accelerations: joint -> value.
        tau: of the joints ``independent``. tensions: spring -> N. residual: equilibrium residual of the
            dependent joints, J_d^T f less the right-hand side [N, N m].
    """

    def __init__(self, urdf: str, independent: Sequence[str]) -> None:
        robot = parsed_without_shapes(urdf)
        spec = specification(robot)
        self._ends = {loop.get("name"): _add_loop(spec, loop) for loop in robot.iter("loop_joint")}
        springs = {spring.get("name"): _add_spring(spec, spring) for spring in robot.iter("spring")}
        self._gears = [_add_gear(spec, gear) for gear in robot.iter("gear")]
        self.model = model = rigid_model(spec)
        self.data = mujoco.MjData(model)
        for name, (stiffness, length) in springs.items():
            model.tendon_stiffness[model.tendon(name).id] = stiffness
            model.tendon_lengthspring[model.tendon(name).id] = length
        self._springs = springs
        self.names = [model.joint(k).name for k in range(model.njnt)]
        if not model.nq == model.nv == model.njnt:
            raise ValueError("a joint of the URDF has more than one coordinate")
        self.independent = tuple(independent)
        self._free = np.array([self.names.index(name) for name in independent])
        self._bound = np.setdiff1d(np.arange(model.nv), self._free)
        self._pairs = [(model.site(a).id, model.site(b).id) for ends in self._ends.values() for a, b in ends]

    def __call__(self, q: Array, v: Array, a: Array) -> None:
        """Solve inverse dynamics; positions start from those of the last call, at first from zero."""
        model, data, free, bound = self.model, self.data, self._free, self._bound
        J = self._close(q)
        data.qvel[free] = v
        data.qvel[bound] = _solve(J[:, bound], -J[:, free] @ v)
        mujoco.mj_comVel(model, data)
        mujoco.mj_passive(model, data)
        dependent = _solve(J[:, bound], -J[:, free] @ a - self._bias())
        data.qacc[free], data.qacc[bound] = a, dependent
        tree_torques = np.empty(model.nv)
        mujoco.mj_rne(model, data, 1, tree_torques)
        tree_torques -= data.qfrc_passive
        data.efc_force[:] = _solve(J[:, bound].T, tree_torques[bound])
        remaining = tree_torques - J.T @ data.efc_force
        self.tau, self.residual = remaining[free], float(np.abs(remaining[bound]).max(initial=0.0))
        mujoco.mj_rnePostConstraint(model, data)
        self.coordinates, self.velocities, self.accelerations = (
            dict(zip(self.names, values.tolist(), strict=True))
            for values in (data.qpos, data.qvel, data.qacc)
        )
        self.tensions = {
            name: stiffness * (float(data.tendon(name).length[0]) - length)
            for name, (stiffness, length) in self._springs.items()
        }

    def _close(self, q: Array) -> Array:
        """Close the loops; return the constraint Jacobian J (rows, nv) there."""
        model, data, bound = self.model, self.data, self._bound
        data.qpos[self._free], step = q, np.inf
        for _ in range(50):
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            mujoco.mj_tendon(model, data)
            mujoco.mj_makeConstraint(model, data)
            J = data.efc_J.reshape(-1, model.nv).copy()
            if step < CLOSED:
                return J
            steps = _solve(J[:, bound], -data.efc_pos)
            data.qpos[bound] += steps
            step = np.abs(steps).max(initial=0.0)
        raise ValueError(f"MuJoCo's loops do not close: the last step is {step:.1e}")

    def _bias(self) -> Array:
        """Return Jdot v: relative accelerations of the pairs of points when no joint accelerates."""
        self.data.qacc[:] = 0.0
        self.data.efc_force[:] = 0.0
        mujoco.mj_rnePostConstraint(self.model, self.data)
        apart = [self._acceleration(SITE, a)[3:] - self._acceleration(SITE, b)[3:] for a, b in self._pairs]
        return np.concatenate([*apart, np.zeros(len(self._gears))])

    def _acceleration(self, kind: mujoco.mjtObj, k: int) -> Array:
        """Return [angular, linear less gravity] acceleration; of a body at its centre of mass."""
        acceleration = np.empty(6)
        mujoco.mj_objectAcceleration(self.model, self.data, kind, k, acceleration, 0)
        return acceleration

    def rotation(self, link: str) -> Array:
        """Return the axes of a link (3, 3)."""
        return self.data.body(link).xmat.reshape(3, 3).copy()

    def origin(self, link: str) -> Array:
        """Return the origin of a link."""
        return self.data.body(link).xpos.copy()

    def children(self, link: str) -> list[str]:
        """Return the links whose parent in the tree is this one."""
        k = self.model.body(link).id
        return [self.model.body(child).name for child in np.flatnonzero(self.model.body_parentid == k)]

    def point(self, name: str, link: str = "") -> Array:
        """Return the point of a joint (child's origin), cut joint (on its successor) or spring."""
        if name in self._ends:
            return np.mean([self.data.site(end).xpos for _, end in self._ends[name]], axis=0)
        if name in self._springs:
            return self.data.site(f"{name} {link}").xpos.copy()
        return self.data.xpos[self.model.joint(name).bodyid[0]].copy()

    def reaction(self, link: str) -> Array:
        """Return [force, moment] of its parent on a link, at the link's origin in its axes."""
        data, k = self.data, self.model.body(link).id
        moment, force = np.split(data.cfrc_int[k], 2)
        about = moment + np.cross(data.subtree_com[self.model.body_rootid[k]] - data.xpos[k], force)
        return np.concatenate([self.rotation(link).T @ force, self.rotation(link).T @ about])

    def inertial_load(self, link: str) -> tuple[Array, Array, Array]:
        """Return a link's centre of mass, and its inertial force [N] and moment about it [N m]."""
        model, data, k = self.model, self.data, self.model.body(link).id
        alpha, acceleration = np.split(self._acceleration(BODY, k), 2)
        velocity = np.empty(6)
        mujoco.mj_objectVelocity(model, data, BODY, k, velocity, 0)
        Q, w = data.ximat[k].reshape(3, 3), velocity[:3]
        inertia = Q * model.body_inertia[k] @ Q.T
        moment = inertia @ alpha + np.cross(w, inertia @ w)
        return data.xipos[k].copy(), model.body_mass[k] * acceleration, moment


def _add_loop(spec: mujoco.MjSpec, loop: etree._Element) -> list[tuple[str, str]]:
    """Connect two pairs of sites on a cut axis, which both links see alike; return their names."""
    ends = [loop.find("predecessor"), loop.find("successor")]
    if loop.get("type") != "revolute":
        raise ValueError(f"loop joint '{loop.get('name')}' is not revolute")
    pairs = []
    for side in (-1.0, 1.0):
        names = tuple(f"{loop.get('name')} {end.tag} {side:+g}" for end in ends)
        for name, end in zip(names, ends, strict=True):
            at = _numbers(end, "xyz") + side * HALF * _rotated(end, _numbers(loop.find("axis"), "xyz"))
            spec.body(end.get("link")).add_site(name=name, pos=at)
        equality = spec.add_equality(name1=names[0], name2=names[1], objtype=SITE)
        equality.type = mujoco.mjtEq.mjEQ_CONNECT
        pairs.append(names)
    return pairs


def _rotated(anchor: etree._Element, vector: Array) -> Array:
    """Return a vector of an anchor's axes in those of its link."""
    turn, result = np.empty(4), np.empty(3)
    mujoco.mju_euler2Quat(turn, _numbers(anchor, "rpy"), "XYZ")  # about fixed axes
    mujoco.mju_rotVecQuat(result, vector, turn)
    return result


def _add_gear(spec: mujoco.MjSpec, gear: etree._Element) -> str:
    """Keep joint - sum of ratio times driver at the offset; return the tendon's name."""
    name = f"gear of {gear.get('joint')}"
    tendon = spec.add_tendon(name=name)
    tendon.wrap_joint(gear.get("joint"), 1.0)
    for driver in gear.iter("driver"):
        tendon.wrap_joint(driver.get("joint"), -float(driver.get("ratio")))
    equality = spec.add_equality(
        name1=name, type=mujoco.mjtEq.mjEQ_TENDON, objtype=mujoco.mjtObj.mjOBJ_TENDON
    )
    equality.data[0] = float(gear.get("offset", 0.0))
    return name


def _add_spring(spec: mujoco.MjSpec, spring: etree._Element) -> tuple[float, float]:
    """Add a tendon; return its stiffness and length of zero force: F = k (L - (L0 - F0 / k))."""
    name, numbers = spring.get("name"), ("stiffness", "free_length", "initial_force", "damping")
    stiffness, free, initial, damping = (float(spring.get(number, 0.0)) for number in numbers)
    if stiffness <= 0.0 or damping or (length := free - initial / stiffness) < 0.0:
        raise ValueError(f"spring '{name}': stiffness, no damping and a length of zero force are needed")
    tendon = spec.add_tendon(name=name)
    for anchor in spring.findall("anchor"):
        site = f"{name} {anchor.get('link')}"
        spec.body(anchor.get("link")).add_site(name=site, pos=_numbers(anchor, "xyz"))
        tendon.wrap_site(site)
    return stiffness, length


def _numbers(element: etree._Element, key: str) -> Array:
    return np.array([float(number) for number in element.get(key, "0 0 0").split()])


def _solve(matrix: Array, right: Array) -> Array:
    """Return the least-squares solution of least norm."""
    return np.linalg.lstsq(matrix, right, rcond=RANK)[0]
