"""Legs and tables with closed loops, as URDF text with tags; at zero their loops are open."""

import numpy as np
from scipy.spatial.transform import Rotation

from helpers.robots.urdf_text import inertial, joint, loop_joint, robot

#: Revolute joints whose axes meet in a point, in place of a ball.
BALL = ("x", "y", "z")


class Builder:
    """Links and joints, added one by one; joints are passive unless they are motors.

    ``merged``: joints with several axes are written as one revolute joint; ``axes`` has theirs by name.
    """

    def __init__(self, merged=False):
        self.elements, self.tags = [self._link("base")], []
        self.merged, self.axes = merged, {}

    def _link(self, name, mass=1.0, com=(0, 0, 0)):
        body = inertial(mass, com, np.diag([0.02, 0.03, 0.025]) * mass) if mass else ""
        return f'<link name="{name}">{body}</link>'

    def turn(self, name, parent, child, xyz, axis, motor=False, limits=(-3.1, 3.1), rpy=(0, 0, 0), mass=1.0):
        self.elements += [self._link(child, mass, (0.02, 0.01, -0.05))]
        self.elements += [joint(name, "revolute", parent, child, xyz, rpy, axis, limits)]
        if not motor:
            self.tags.append(f'<passive joint="{name}"/>')

    def slide(self, name, parent, child, xyz, axis, limits=(-1, 1)):
        """Add a passive one."""
        slide = joint(name, "prismatic", parent, child, xyz, axis=axis, limits=limits)
        self.elements += [self._link(child), slide]
        self.tags.append(f'<passive joint="{name}"/>')

    def chain(self, name, parent, child, xyz, axes):
        """Passive joints with axes through one point: x, y, z in turn."""
        self.axes[name] = "".join(axes)
        if self.merged:
            self.turn(name, parent, child, xyz, (0, 0, 1))
            return
        for k, axis in enumerate(axes):
            last = k == len(axes) - 1
            there = child if last else f"{name}_{axis}_link"
            direction = np.eye(3)["xyz".index(axis)]
            self.turn(f"{name}_{axis}", parent, there, xyz, direction, mass=float(last))
            parent, xyz = there, (0, 0, 0)

    def cut(self, name, kind, predecessor, successor, axis=(0, 0, 1)):
        self.tags.append(loop_joint(name, kind, predecessor, successor, axis))

    def urdf(self, name="mechanism"):
        return robot(name, self.elements, self.tags)


def ankle(builder=None, tag="", at=(0.0, 0.0, 0.0)):
    """A foot on a universal joint, moved by two cranks, each by a rod with a ball and a universal joint.

    Both rods are cut where they are fixed to the foot.
    """
    builder = builder or Builder()
    x, y, z = at
    builder.chain(f"foot{tag}", "base", f"foot{tag}", (x, y, z - 0.4), ("x", "y"))
    for side, sign in (("left", 1), ("right", -1)):
        crank, rod = f"{side}_crank{tag}", f"{side}_rod{tag}"
        builder.turn(
            f"{side}_motor{tag}", "base", crank, (x, y + 0.08 * sign, z - 0.1), (0, 1, 0), motor=True
        )
        builder.chain(f"{side}_ball{tag}", crank, rod, (-0.07, 0.02 * sign, 0), BALL)
        builder.chain(f"{side}_cardan{tag}", rod, f"{side}_end{tag}", (0, 0, -0.29), ("x", "y"))
        # no frame at zero agrees with its counterpart
        turn = Rotation.from_euler("xyz", (0.1 * sign, 0.15, 0.05)).as_euler("xyz")
        ends = (f"{side}_end{tag}", (0, 0, 0)), (f"foot{tag}", (-0.06, 0.1 * sign, 0.02), turn)
        builder.cut(f"{side}_weld{tag}", "fixed", *ends)
    return builder


def delta(platform=0.1):
    """Three cranks at 120 degrees, each with one rod between two balls, hold a platform that only translates.

    The platform hangs on three slides; nothing determines the spin of the rods about themselves.
    """
    builder, before = Builder(), "base"
    for name, axis in zip("xyz", np.eye(3), strict=True):
        link = "platform" if name == "z" else f"carriage_{name}"
        builder.slide(f"slide_{name}", before, link, (0, 0, -0.5 if name == "x" else 0), axis)
        before = link
    for k in range(3):
        angle = 2.0 * np.pi * k / 3.0
        out = np.array([np.cos(angle), np.sin(angle), 0.0])
        builder.turn(f"motor_{k}", "base", f"crank_{k}", 0.2 * out, (0, 1, 0), True, rpy=(0, 0, angle))
        builder.chain(f"ball_{k}", f"crank_{k}", f"rod_{k}", (0.25, 0, 0), BALL)
        builder.cut(f"tip_{k}", "spherical", (f"rod_{k}", (0, 0, -0.6)), ("platform", platform * out))
    return builder


def bricard():
    """A chain of six joints whose axes meet in threes, and a knee in it: closed by a revolute loop joint."""
    builder = Builder()
    builder.turn("hip", "base", "thigh", (0, 0, 0), (0, 1, 0), motor=True)
    builder.turn("knee", "thigh", "shank", (0, 0, -0.4), (0, 1, 0))
    builder.chain("ankle", "shank", "rod", (0, 0, -0.35), ("x", "y", "z"))
    builder.turn("rocker", "base", "rocker", (0.3, 0.05, 0), (0, 0.9987, 0.05))
    builder.cut("pin", "revolute", ("rod", (0.25, 0, 0)), ("rocker", (0, 0, -0.5)), (0, 0.6, 0.8))
    return builder


def sarrus():
    """A plate that only rises, on two pairs of hinges that are perpendicular to each other (Sarrus).

    At zero it is closed, half a metre high. Where the plate is highest or at zero height, branches cross.
    """
    builder = Builder()
    builder.turn("motor", "base", "lower_x", (1, 0, 0), (0, 1, 0), motor=True, limits=(-9, 9))
    builder.turn("knee_x", "lower_x", "upper_x", (0.4, 0, 0.25), (0, 1, 0), limits=(-9, 9))
    builder.turn("head_x", "upper_x", "plate", (-0.4, 0, 0.25), (0, 1, 0), limits=(-9, 9))
    builder.turn("foot_y", "base", "lower_y", (0, 1, 0), (1, 0, 0), limits=(-9, 9))
    builder.turn("knee_y", "lower_y", "upper_y", (0, 0.4, 0.25), (1, 0, 0), limits=(-9, 9))
    builder.cut("head_y", "revolute", ("plate", (-1, 1, 0)), ("upper_y", (0, -0.4, 0.25)), (1, 0, 0))
    return builder
