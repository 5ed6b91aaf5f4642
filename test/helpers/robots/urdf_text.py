"""Elements of URDF text with given numbers, which are read back as the same."""

import numpy as np

INERTIA = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")


def text(numbers):
    return " ".join(repr(float(x)) for x in numbers)


def place(xyz, rpy=(0, 0, 0)):
    return f'xyz="{text(xyz)}"' + (f' rpy="{text(rpy)}"' if np.any(rpy) else "")


def inertial(mass, com, inertia):
    """Inertia (3, 3) about the centre of mass."""
    entries = zip(INERTIA, np.asarray(inertia)[np.triu_indices(3)], strict=True)
    moments = " ".join(f'{key}="{float(value)!r}"' for key, value in entries)
    return f'<inertial><origin {place(com)}/><mass value="{float(mass)!r}"/><inertia {moments}/></inertial>'


def joint(name, kind, parent, child, xyz, rpy=(0, 0, 0), axis=None, limits=(-9, 9), more="", effort=9):
    """A joint; limits of position only where its type has them."""
    span = f'lower="{limits[0]}" upper="{limits[1]}" ' if kind in ("revolute", "prismatic") else ""
    limit = "" if kind in ("fixed", "floating") else f'<limit {span}effort="{effort}" velocity="9"/>'
    about = "" if axis is None else f'<axis xyz="{text(axis)}"/>'
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f"<origin {place(xyz, rpy)}/>{about}{limit}{more}</joint>"
    )


def loop_joint(name, kind, predecessor, successor, axis):
    """Ends: link, xyz, and perhaps rpy."""
    ends = "".join(
        f'<{side} link="{link}" {place(*anchor)}/>'
        for side, (link, *anchor) in (("predecessor", predecessor), ("successor", successor))
    )
    return f'<loop_joint name="{name}" type="{kind}">{ends}<axis xyz="{text(axis)}"/></loop_joint>'


def spring(name, anchors, stiffness, free_length, initial_force, damping=0.0):
    """Anchors: link and xyz each."""
    ends = "".join(f'<anchor link="{link}" xyz="{text(xyz)}"/>' for link, xyz in anchors)
    law = f'free_length="{free_length}" initial_force="{initial_force}" damping="{damping}"'
    return f'<spring name="{name}" stiffness="{stiffness}" {law}>{ends}</spring>'


def robot(name, elements, tags=()):
    closures = f'<modular_dynamics version="1">{"".join(tags)}</modular_dynamics>' if tags else ""
    return f'<robot name="{name}">{"".join(elements)}{closures}</robot>'
