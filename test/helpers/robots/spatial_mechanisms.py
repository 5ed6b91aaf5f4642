"""Spatial mechanisms with balls: rods that spin, and platforms on six legs."""

import warnings

import numpy as np
from scipy.spatial.transform import Rotation

import modular_dynamics as md
from helpers.robots.urdf_text import inertial, joint, loop_joint, robot

X, Y, Z = np.eye(3)


def link(name, mass=None, com=(0, 0, 0), size=0.1):
    """A link, with the inertia of an uneven body if it has a mass."""
    if mass is None:
        return f'<link name="{name}"/>'
    tensor = mass * size**2 * (np.diag([0.3, 0.7, 0.8]) + 0.05 * (np.ones((3, 3)) - np.eye(3)))
    return f'<link name="{name}">{inertial(mass, com, tensor)}</link>'


def ball(name, parent, child, xyz, rpy=(0, 0, 0), axes=(Z, Y, X)):
    """Joints about several axes with links without mass between them, and their names."""
    names = [f"{name}_{k}" for k in range(len(axes))]
    between = [f"{name}_link_{k}" for k in range(len(axes) - 1)]
    chain = [parent, *between, child]
    elements = [link(k) for k in between]
    for k, axis in enumerate(axes):
        start = (xyz, rpy) if k == 0 else ((0, 0, 0),)
        elements.append(joint(names[k], "continuous", chain[k], chain[k + 1], *start, axis=axis))
    return elements, names


def passive(names):
    return [f'<passive joint="{name}"/>' for name in names]


def loaded(name, elements, tags):
    """The graph; massless links between axes are meant."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.ModelWarning)
        return md.load_urdf(robot(name, elements, tags))


def spinning_rod(rods=1):
    """Cranks, each of which turns a rocker by a rod between two balls (RSSR): the rods can spin."""
    elements, tags = [link("base")], []
    for k in range(rods):
        at = np.array([0.0, 1.5 * k, 0.0])
        elements += [
            link(f"crank{k}", 1.0, (0.05, 0.01, 0)),
            link(f"rod{k}", 0.6, (0.2, 0.03, 0.02)),
            link(f"rocker{k}", 0.8),
        ]
        elements += [joint(f"motor{k}", "continuous", "base", f"crank{k}", at, axis=Z)]
        balls, names = ball(f"ball{k}", f"crank{k}", f"rod{k}", (0.1, 0, 0))
        elements += balls
        pivot = at + np.array([0.45, 0.05, 0.1])
        elements += [joint(f"rocking{k}", "continuous", "base", f"rocker{k}", pivot, axis=X)]
        ends = (f"rod{k}", (0.4, 0, 0)), (f"rocker{k}", (0, 0.15, 0.1))
        tags += [loop_joint(f"end{k}", "spherical", *ends, Z), *passive([*names, f"rocking{k}"])]
    return loaded("spinning_rods", elements, tags)


def spinning_rod_on_a_ball():
    """The first of them, one ball of which is one joint."""
    elements = [link("base"), link("crank", 1.0, (0.05, 0.01, 0)), link("rocker", 0.8)]
    elements += [link("rod", 0.6, (0.2, 0.03, 0.02))]
    elements += [joint("motor", "continuous", "base", "crank", (0, 0, 0), axis=Z)]
    elements += [joint("ball", "floating", "crank", "rod", (0.1, 0, 0))]
    elements += [joint("rocking", "continuous", "base", "rocker", (0.45, 0.05, 0.1), axis=X)]
    ends = ("rod", (0.4, 0, 0)), ("rocker", (0, 0.15, 0.1))
    tags = [loop_joint("end", "spherical", *ends, Z), *passive(["ball", "rocking"])]
    return loaded("rod_on_a_ball", elements, [*tags, '<spherical joint="ball"/>'])


def cut_rod():
    """Crank, rod and rocker; the rod is cut in its middle and welded: it can spin only where closed."""
    crank_end, rocker_end = np.array([0.1, 0.0, 0.0]), np.array([0.0, 0.15, 0.1])
    pivot = np.array([0.45, 0.05, 0.1])
    along = pivot + rocker_end - crank_end
    rpy = Rotation.align_vectors([along], [X])[0].as_euler("xyz")
    elements = [link("base"), link("crank", 1.0, (0.05, 0.01, 0)), link("rocker", 0.8)]
    elements += [link("half", 0.4, (0.1, 0.03, 0.02)), link("other_half", 0.3, (-0.1, 0.02, 0.01))]
    elements += [joint("motor", "continuous", "base", "crank", (0, 0, 0), axis=Z)]
    elements += [joint("rocking", "continuous", "base", "rocker", pivot, axis=X)]
    names = ["rocking"]
    for name, carrier, half, end in (
        ("ball", "crank", "half", crank_end),
        ("other_ball", "rocker", "other_half", rocker_end),
    ):
        balls, turns = ball(name, carrier, half, end, rpy)
        elements, names = elements + balls, names + turns
    ends = ("half", (0.2, 0, 0)), ("other_half", (-0.2, 0, 0))
    return loaded("cut_rod", elements, [loop_joint("weld", "fixed", *ends, X), *passive(names)])


def platform(base_axes=(X, Y), floating=False):
    """A platform on six legs (Stewart): ``base_axes`` of each leg's lower joint, slide, ball.

    Carried by its first leg in the tree, or by a passive floating joint.
    """
    elements, tags, up = [link("base"), link("platform", 2.0, (0.02, -0.03, 0.05), 0.4)], [], 0.8
    if floating:
        elements.append(joint("pose", "floating", "base", "platform", up * Z))
        tags += passive(["pose"])
    for k in range(6):
        foot_angle, head_angle = (np.pi / 3 * (k // 2 * 2) + s * (k % 2 * 2 - 1) for s in (0.3, 0.75))
        foot = np.array([np.cos(foot_angle), np.sin(foot_angle), 0.0])
        head = 0.6 * np.array([np.cos(head_angle), np.sin(head_angle), 0.0])
        along = head + up * Z - foot
        # the leg's frame has z along the leg; its joints turn about axes perpendicular to it
        rotation = Rotation.align_vectors([along], [Z])[0]
        rpy = rotation.as_euler("xyz")
        elements += [link(f"lower{k}", 0.7, (0.01, 0.02, 0.2)), link(f"upper{k}", 0.5, (0.02, 0, -0.1))]
        joints, names = ball(f"foot{k}", "base", f"lower{k}", foot, rpy, base_axes)
        elements += joints
        tags += passive(names)
        length = np.linalg.norm(along)
        elements += [joint(f"slide{k}", "prismatic", f"lower{k}", f"upper{k}", (0, 0, length), axis=Z)]
        if k == 0 and not floating:
            turned = rotation.inv()
            balls, names = ball(f"head{k}", f"upper{k}", "wrist", (0, 0, 0))
            elements += [*balls, link("wrist")]
            elements += [
                joint("wrist_weld", "fixed", "wrist", "platform", turned.apply(-head), turned.as_euler("xyz"))
            ]
            tags += passive(names)
        else:
            ends = (f"upper{k}", (0, 0, 0)), ("platform", head)
            tags += [loop_joint(f"head{k}", "spherical", *ends, Z)]
    return loaded("platform", elements, tags)
