"""Descriptions of planar mechanisms that do not look planar: the plane is oblique, and so is every frame."""

import numpy as np
from scipy.spatial.transform import Rotation

import modular_dynamics as md
from helpers.robots.urdf_text import inertial, joint, loop_joint, robot
from modular_dynamics.algebra import from_xyz_rpy, to_rotation_translation


def with_limits(text, name, lower, upper):
    """A robot's URDF text in which a continuous joint has limits, and so is revolute."""
    before, after = text.split(f'<joint name="{name}" type="continuous">')
    after = after.replace("<limit ", f'<limit lower="{lower}" upper="{upper}" ', 1)
    return f'{before}<joint name="{name}" type="revolute">{after}'


class Planar:
    """Collects links and joints, given by points of the plane with all joints at zero."""

    def __init__(self, seed=0, tilt=(0.7, -0.5, 1.9)):
        self.rng, self.frames = np.random.default_rng(seed), {}
        self.rotation = to_rotation_translation(from_xyz_rpy(np.zeros(3), np.array(tilt)))[0]
        self.frames["world"] = np.eye(3), np.zeros(3)
        self.links, self.joints, self.tags = ['<link name="world"/>'], [], []

    def turn(self, name, parent, child, centre, normal=(0.0, 0.0, 1.0), extra=""):
        self._joint(name, "continuous", parent, child, centre, normal, extra)

    def slide(self, name, parent, child, direction, extra=""):
        self._joint(name, "prismatic", parent, child, self.rng.normal(size=2), (*direction, 0.0), extra)

    def _joint(self, name, kind, parent, child, point, axis, extra):
        before, at = self.frames[parent]
        rpy = self.rng.uniform(-1.5, 1.5, 3)
        rotation = before @ to_rotation_translation(from_xyz_rpy(np.zeros(3), rpy))[0]
        origin = self.rotation @ np.array([*point, self.rng.normal()])
        axis = rotation.T @ self.rotation @ np.asarray(axis, float)
        self.frames[child] = rotation, origin
        self.links.append(f'<link name="{child}">{inertial(1.0, np.zeros(3), np.eye(3))}</link>')
        self.joints.append(joint(name, kind, parent, child, before.T @ (origin - at), rpy, axis, more=extra))

    def cut(self, name, predecessor, before, successor, after, kind="revolute", lift=0.0):
        """A loop joint about the normal; a point of each link."""
        ends = self._anchor(predecessor, (*before, 0.0)), self._anchor(successor, (*after, lift))
        self.tags.append(loop_joint(name, kind, *ends, (0, 0, 1)))

    def _anchor(self, link, point):
        rotation, origin = self.frames[link]
        rpy = Rotation.from_matrix(rotation.T @ self.rotation).as_euler("xyz")
        return link, rotation.T @ (self.rotation @ np.asarray(point) - origin), rpy

    def passive(self, *names):
        self.tags += [f'<passive joint="{name}"/>' for name in names]

    def graph(self):
        return md.load_urdf(robot("planar", self.links + self.joints, self.tags))


def four_bar(a=0.5, b=1.8, c=1.2, d=2.0, at=(0.0, 0.0), robot=None, tag="", carrier="world", crank=None):
    """Crank a, coupler b, rocker c, ground d, all along x at zero; cut between coupler and rocker."""
    robot = robot or Planar()
    x, y = at
    if crank is None:
        crank = f"crank{tag}"
        robot.turn(crank, carrier, crank, (x, y))
    robot.turn(f"coupler{tag}", crank, f"coupler{tag}", (x + a, y))
    robot.turn(f"rocker{tag}", carrier, f"rocker{tag}", (x + d, y), normal=(0, 0, -1))
    robot.cut(f"loop{tag}", f"coupler{tag}", (x + a + b, y), f"rocker{tag}", (x + d + c, y))
    robot.passive(f"coupler{tag}", f"rocker{tag}")
    return robot
