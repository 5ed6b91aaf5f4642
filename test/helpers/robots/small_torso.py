"""A torso with the care robot's topology and other numbers, and its bodies' equations by Pinocchio."""

import warnings
from xml.etree import ElementTree

import numpy as np
import pinocchio

import modular_dynamics as md
from helpers.robots.urdf_text import inertial, joint, loop_joint, robot, spring

ORIGIN, X, Z = (0, 0, 0), (1, 0, 0), (0, 0, 1)
R4, R5 = np.radians(-7.0), np.radians(-4.0)  # leaning of the actuators
LIFT, PITCH = np.array([0.01, 0.0, 0.29]), np.array([0.0, 0.012, 0.43])
LOW4, LOW5 = np.array([0.015, 0.08, 0.155]), np.array([-0.02, -0.07, 0.01])
TOP4 = LOW4 + 0.48 * np.array([0.0, np.sin(R4), np.cos(R4)]) - LIFT
TOP5 = LOW5 + 0.40 * np.array([0.0, np.sin(R5), np.cos(R5)]) - PITCH
HINGES = {"r": np.array([0.25, 0.003, 0.341]), "l": np.array([-0.24, -0.004, 0.345])}
PINS = {"r": np.array([-0.15, 0.0, 0.01]), "l": np.array([0.14, 0.0, -0.01])}


def link(name, mass=0.0, com=(0, 0, 0), inertia=(0, 0, 0, 0, 0, 0)):
    """Inertia: xx, yy, zz, xy, xz, yz."""
    if mass == 0.0:
        return f'<link name="{name}"/>'
    xx, yy, zz, xy, xz, yz = inertia
    return f'<link name="{name}">{inertial(mass, com, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])}</link>'


def small_torso_text():
    parts = [
        link("world"),
        link("body_3", 30.0, (0.01, -0.02, 0.15), (1.2, 1.3, 1.6, 0.011, 0.003, -0.05)),
        link("body_4", 7.0, (0.02, 0.01, 0.2), (0.12, 0.17, 0.09, 0.002, -0.001, -0.007)),
        link("body_5", 5.0, (-0.01, 0.015, 0.25), (0.08, 0.08, 0.03, 0.0023, -0.0002, 0.005)),
        link("arm", 2.0, (0.0, 0.1, -0.2), (0.02, 0.021, 0.005, 0.001, 0.0, 0.002)),
        joint("base_yaw", "revolute", "world", "body_3", ORIGIN, axis=Z, limits=(-4, 4)),
        joint("torso_lift", "prismatic", "body_3", "body_4", LIFT, axis=Z, limits=(-1, 1)),
        joint("torso_pitch", "revolute", "body_4", "body_5", PITCH, axis=(-1, 0, 0), limits=(-1, 1)),
        joint("shoulder", "revolute", "body_5", "arm", (0.2, 0.0, 0.4), axis=(0.6, 0, 0.8), limits=(-4, 4)),
    ]
    tags = []
    for k, base, tip, low, top, lean, length in (
        (4, "body_3", "body_4", LOW4, TOP4, R4, 0.48),
        (5, "body_4", "body_5", LOW5, TOP5, R5, 0.40),
    ):
        tube, rod = f"act{k}_tube", f"act{k}_rod"
        parts += [link(tube), link(rod)]
        parts.append(joint(f"act{k}_pivot", "revolute", base, tube, low, (-lean, 0, 0), X))
        parts.append(joint(f"act{k}", "prismatic", tube, rod, (0, 0, length), axis=Z))
        tags.append(loop_joint(f"act{k}_pin", "revolute", (rod, ORIGIN), (tip, top), X))
    for side, sign in (("r", 1), ("l", -1)):
        lever, block = f"body_4s{side}", f"s{side}t4_block"
        slot = HINGES[side] + PINS[side] - LIFT
        parts += [link(lever), link(block)]
        parts.append(joint(f"j{side}4", "revolute", "body_3", lever, HINGES[side], axis=(0, sign, 0)))
        parts.append(joint(f"s{side}t4_slide", "prismatic", "body_4", block, slot, axis=(sign, 0, 0)))
        tags.append(loop_joint(f"s{side}t4", "revolute", (lever, PINS[side]), (block, ORIGIN), (0, 1, 0)))
        anchors = ("body_3", (sign * 0.2, HINGES[side][1], 0.16)), (lever, (sign * 0.07, 0.0, -0.05))
        tags.append(spring(f"s{side}4", anchors, 1380.0, 0.1055, 27.1))
    anchors = ("body_4", (0.05, -0.09, 0.3)), ("body_5", (0.05, -0.07, -0.04))
    tags.append(spring("s5", anchors, 1029.0, 0.077, 15.1))
    passive = "torso_lift torso_pitch act4_pivot act5_pivot jr4 jl4 srt4_slide slt4_slide"
    tags += [f'<passive joint="{name}"/>' for name in passive.split()]
    return robot("small_torso", parts, tags)


def load(source):
    """A graph; the warnings of links without mass at the ends of chains are expected."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        return md.load_urdf(source)


class PinocchioBodies:
    """Poses and Newton-Euler equations of single bodies by Pinocchio, geometry from the URDF's text."""

    def __init__(self, graph, q, v, vdot):
        self.xml = ElementTree.fromstring(graph.urdf)
        self.model = pinocchio.buildModelFromXML(graph.urdf)
        self.data = self.model.createData()
        q_pinocchio = pinocchio.neutral(self.model)
        rates = np.zeros((2, self.model.nv))
        for name, x, *others in zip(graph.joint_names, q, v, vdot, strict=True):
            k = self.model.getJointId(name)
            place = self.model.idx_qs[k]
            q_pinocchio[place : place + self.model.nqs[k]] = (
                [np.cos(x), np.sin(x)] if self.model.nqs[k] == 2 else [x]
            )
            rates[:, self.model.idx_vs[k]] = others
        self.order = [self.model.idx_vs[self.model.getJointId(name)] for name in graph.joint_names]
        pinocchio.forwardKinematics(self.model, self.data, q_pinocchio, *rates)
        pinocchio.updateFramePlacements(self.model, self.data)
        pinocchio.computeJointJacobians(self.model, self.data, q_pinocchio)
        self.gravity = np.array([0.0, 0.0, -9.81])

    def frame(self, body):
        k = self.model.getFrameId(body)
        place = self.data.oMf[k]
        return place.rotation, place.translation

    def point(self, name, body=None):
        """Point of a joint (origin of its child), a cut joint (on its successor) or a spring (on a body)."""
        joint = self.xml.find(f"joint[@name='{name}']")
        if joint is not None:
            return self.frame(joint.find("child").get("link"))[1]
        if (cut := self.xml.find(f".//loop_joint[@name='{name}']")) is not None:
            end = cut.find("successor")
        else:
            end = self.xml.find(f".//spring[@name='{name}']/anchor[@link='{body}']")
        R, o = self.frame(end.get("link"))
        return o + R @ np.array([float(x) for x in end.get("xyz", "0 0 0").split()])

    def inertial_terms(self, body):
        """Mass, centre of mass, its acceleration less gravity, rate of angular momentum of a rigid group."""
        k = self.model.frames[self.model.getFrameId(body)].parentJoint
        inertia, place = self.model.inertias[k], self.data.oMi[k]
        v, a = self.data.v[k], self.data.a[k]
        c, R = inertia.lever, place.rotation
        w, alpha = v.angular, a.angular
        rise = a.linear + np.cross(w, v.linear) + np.cross(alpha, c) + np.cross(w, np.cross(w, c))
        turn = inertia.inertia @ alpha + np.cross(w, inertia.inertia @ w)
        return inertia.mass, place.act(c), R @ rise - self.gravity, R @ turn

    def carried(self, body, others):
        """Bodies that ``body`` carries and none of ``others`` does."""
        k = self.model.frames[self.model.getFrameId(body)].parentJoint
        stop = {self.model.frames[self.model.getFrameId(b)].parentJoint for b in others if b != body}
        carried, names = [], list(self.model.names)
        for j in range(1, self.model.njoints):
            i = j
            while i not in (0, k) and i not in stop:
                i = self.model.parents[i]
            if i == k:
                carried.append(self.xml.find(f"joint[@name='{names[j]}']/child").get("link"))
        return carried

    def inertial_wrench(self, body, others, about):
        """Inertial force and moment about a point of a body and those that it carries, in the root's axes."""
        force, moment = np.zeros(3), np.zeros(3)
        for name in self.carried(body, others):
            m, c, rise, turn = self.inertial_terms(name)
            force += m * rise
            moment += turn + np.cross(c - about, m * rise)
        return force, moment

    def generalised(self, link, force, moment, point):
        """Generalized forces of a wrench at a point of a link, in the graph's order of joints."""
        k = self.model.frames[self.model.getFrameId(link)].parentJoint
        J = pinocchio.getJointJacobian(self.model, self.data, k, pinocchio.LOCAL_WORLD_ALIGNED)
        arm = point - self.data.oMi[k].translation
        return (J[:3].T @ force + J[3:].T @ (moment + np.cross(arm, force)))[self.order]
