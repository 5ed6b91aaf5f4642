"""Robots of a few joints, for tests that also run without the compiler."""

import numpy as np

import modular_dynamics as md

JOINTS = {
    "chain": ("revolute 0", "prismatic 1", "revolute 2"),
    "fork": ("prismatic 0", "revolute 1", "revolute 1", "revolute 3"),
    "two trees": ("revolute 0", "revolute 1", "prismatic 0", "revolute 3"),
}


def small_robot(name, floating_base=False, seed=0):
    """A robot of JOINTS, its numbers random: link k moves on joint k, link 0 is the ground."""
    rng = np.random.default_rng(seed)
    links = [_link(0, rng if floating_base else None)]
    joints = []
    for k, (kind, parent) in enumerate((text.split() for text in JOINTS[name]), 1):
        links.append(_link(k, rng))
        joints.append(
            f'<joint name="j{k}" type="{kind}"><parent link="l{parent}"/><child link="l{k}"/>'
            f'<origin xyz="{_text(rng.normal(size=3))}" rpy="{_text(rng.normal(size=3))}"/>'
            f'<axis xyz="{_text(_unit(rng))}"/><limit lower="-9" upper="9" effort="9" velocity="9"/></joint>'
        )
    text = f'<robot name="{name}">{"".join(links + joints)}</robot>'
    return md.load_urdf(text, floating_base=floating_base)


def _unit(rng):
    axis = rng.normal(size=3)
    return axis / np.linalg.norm(axis)


def _text(numbers):
    return " ".join(map(repr, map(float, numbers)))


def _link(k, rng):
    if rng is None:
        return f'<link name="l{k}"/>'
    x = rng.normal(size=(3, 3))
    moments = x @ x.T
    inertia = np.trace(moments) * np.eye(3) - moments
    entries = zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), inertia[np.triu_indices(3)], strict=True)
    numbers = " ".join(f'{key}="{float(value)!r}"' for key, value in entries)
    return (
        f'<link name="l{k}"><inertial><origin xyz="{_text(rng.normal(size=3))}"/>'
        f'<mass value="{rng.uniform(1, 3)!r}"/><inertia {numbers}/></inertial></link>'
    )
