"""Write branched_38dof.urdf: the topology of Silva & Adorno's 38-DoF robot (Fig. 1, Fig. 4, Example 2).

The paper fixes the joint counts, the predecessors, and the attachment links of subsystems 2, 3 and 4.
Everything else in this file is our choice (urdf/README.md). Links are solid cylinders along local z; the
next joint, and every attached subsystem, sits at a link's far end, as in the paper's Example 4.
Units: m, kg, rad, N m.
"""

from dataclasses import dataclass

from .generated_file import joint_xml, run


@dataclass(frozen=True)
class Chain:
    """One subsystem: where it attaches (predecessor, link number; None: to the ground), and its links."""

    attachment: tuple[int, int] | None
    rpy: str
    lengths: tuple[float, ...]
    masses: tuple[float, ...]
    colour: str


TRUNK = (0.30, 0.30, 0.25, 0.25, 0.20, 0.20)
ARM = (0.25, 0.22, 0.20, 0.15)
TWIG = (0.18, 0.15, 0.12, 0.10)
LIGHT = (0.8, 0.7, 0.6, 0.5)
CHAINS = {
    1: Chain(None, "0 0 0", TRUNK, (4.0, 3.5, 3.0, 2.5, 2.0, 2.0), "0.35 0.38 0.42"),
    2: Chain((1, 2), "0 -0.8 0", ARM, (2.0, 1.8, 1.5, 1.0), "0.20 0.45 0.75"),
    3: Chain((1, 6), "0.3 0 0", ARM, (1.5, 1.2, 1.0, 0.8), "0.90 0.55 0.15"),
    4: Chain((1, 2), "0 0.9 0", ARM, (2.5, 2.2, 2.0, 1.5), "0.25 0.60 0.40"),
    5: Chain((4, 1), "0.9 0.4 0", TWIG, (1.0, 0.9, 0.8, 0.5), "0.75 0.25 0.30"),
    6: Chain((2, 4), "0 1.0 0", ARM, (1.2, 1.0, 0.8, 0.6), "0.50 0.35 0.70"),
    7: Chain((6, 2), "0.9 -0.4 0", TWIG, LIGHT, "0.20 0.65 0.65"),
    8: Chain((6, 3), "-0.9 -0.4 0", TWIG, LIGHT, "0.85 0.45 0.65"),
    9: Chain((6, 4), "0 -0.6 0.5", TWIG, LIGHT, "0.55 0.60 0.20"),
}
# Each chain goes through these in order, starting one further on than the chain before; 3-4-5: unit vectors.
AXES = ("0 0 1", "0 1 0", "1 0 0", "0 0.6 0.8", "0.8 0 0.6", "-0.6 0.8 0")
EFFORT = {1: 1200, 2: 750, 3: 100, 4: 100, 5: 50, 6: 250, 7: 50, 8: 50, 9: 50}  # N m; see urdf/README.md


def link_name(chain: int, number: int) -> str:
    """Return the name of a chain's link; number 0 is what the chain is attached to."""
    if number > 0:
        return f"s{chain}_link_{number}"
    attachment = CHAINS[chain].attachment
    return "ground" if attachment is None else link_name(*attachment)


def link_xml(chain: int, number: int) -> str:
    """Write a solid cylinder along z: Ixx = Iyy = m (3 r^2 + L^2) / 12, Izz = m r^2 / 2 about its centre."""
    length, mass = CHAINS[chain].lengths[number - 1], CHAINS[chain].masses[number - 1]
    radius = 0.02 + 0.01 * mass
    across, along = mass * (3 * radius**2 + length**2) / 12, mass * radius**2 / 2
    middle = f'<origin xyz="0 0 {length / 2:.6g}"/>'
    return f"""
  <link name="{link_name(chain, number)}">
    <inertial>
      {middle}
      <mass value="{mass:.6g}"/>
      <inertia ixx="{across:.9g}" iyy="{across:.9g}" izz="{along:.9g}" ixy="0" ixz="0" iyz="0"/>
    </inertial>
    <visual>
      {middle}
      <geometry><cylinder radius="{radius:.6g}" length="{length:.6g}"/></geometry>
      <material name="subsystem_{chain}"/>
    </visual>
  </link>"""


def chain_joint(chain: int, number: int) -> str:
    """Write joint `number` of a chain, at the far end of the link before it; continuous if about z."""
    parent = (chain, number - 1) if number > 1 else CHAINS[chain].attachment
    height = 0.0 if parent is None else CHAINS[parent[0]].lengths[parent[1] - 1]
    axis = AXES[(chain + number - 2) % len(AXES)]
    kind, span = ("continuous", {}) if axis == "0 0 1" else ("revolute", {"lower": -2.9, "upper": 2.9})
    rpy = CHAINS[chain].rpy if number == 1 else "0 0 0"
    name, ends = f"s{chain}_joint_{number}", (link_name(chain, number - 1), link_name(chain, number))
    limits = span | {"effort": EFFORT[chain], "velocity": 4}
    return "\n  " + joint_xml(name, kind, ends, f'xyz="0 0 {height:.6g}" rpy="{rpy}"', axis, limits)


def urdf_text() -> str:
    """Write the whole URDF: the ground, the nine chains in the paper's order, and the tags that name them."""
    parts = [
        '<?xml version="1.0"?>\n',
        "<!-- Written by generators/branched_38dof.py: change that, not this file. -->\n",
        '<robot name="branched_38dof">',
    ]
    for chain, data in CHAINS.items():
        parts.append(f'\n  <material name="subsystem_{chain}"><color rgba="{data.colour} 1"/></material>')
    parts.append('\n  <link name="ground"/>')
    for chain, data in CHAINS.items():
        for number in range(1, len(data.lengths) + 1):
            parts += [link_xml(chain, number), chain_joint(chain, number)]
    parts.append('\n\n  <modular_dynamics version="1">')
    for chain, data in CHAINS.items():
        numbers = range(1, len(data.lengths) + 1)
        joints = "".join(f'\n      <joint name="s{chain}_joint_{number}"/>' for number in numbers)
        parts.append(f'\n    <subsystem name="subsystem_{chain}">{joints}\n    </subsystem>')
    parts.append("\n  </modular_dynamics>\n</robot>\n")
    return "".join(parts)


if __name__ == "__main__":
    raise SystemExit(run("branched_38dof.urdf", urdf_text))
