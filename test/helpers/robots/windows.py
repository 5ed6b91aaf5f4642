"""A row of square four-bar windows: rods of 1 m and 1 kg, a benchmark of multibody dynamics."""

import modular_dynamics as md

ROD = (
    '<link name="{0}"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>'
    '<inertia ixx="1e-3" iyy="0.0833333333333333333" izz="0.0833333333333333333" ixy="0" ixz="0" iyz="0"/>'
    '</inertial></link><joint name="{0}" type="continuous"><parent link="{1}"/><child link="{0}"/>'
    '<origin xyz="{2} 0 0" rpy="{3} 0 0"/><axis xyz="0 0 1"/><limit effort="9" velocity="9"/></joint>'
)


def windows(count):
    """Uprights on the ground 1 m apart, each rod above from the end of one to that of the next.

    The mechanism's plane is x and z. The first upright is independent. q is zero with all rods on the x axis.
    """
    upright = "1.5707963267948966"
    parts = [ROD.format("upright_0", "ground", 0, upright)]
    tags = []
    for k in range(1, count + 1):
        parts.append(ROD.format(f"upright_{k}", "ground", k, upright))
        parts.append(ROD.format(f"beam_{k}", f"upright_{k - 1}", 1, 0))
        tags.append(
            f'<loop_joint name="window_{k}" type="revolute"><predecessor link="upright_{k}" xyz="1 0 0"/>'
            f'<successor link="beam_{k}" xyz="1 0 0"/><axis xyz="0 0 1"/></loop_joint>'
            f'<passive joint="upright_{k}"/><passive joint="beam_{k}"/>'
        )
    return md.load_urdf(
        f'<robot name="windows"><link name="ground"/>{"".join(parts)}'
        f'<modular_dynamics version="1">{"".join(tags)}</modular_dynamics></robot>'
    )


def standing(graph, angle):
    """Coordinates of all joints: uprights at an angle to the ground, beams level."""
    return [angle if name.startswith("upright") else -angle for name in graph.joint_names]
