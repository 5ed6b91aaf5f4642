"""Small robots that the tasks compute with. Machine code does not depend on the robot."""

__all__ = ["FOUR_BAR"]

_LINK = """<link name="{0}"><inertial><origin xyz="0.2 0.1 0"/><mass value="1"/>
<inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>"""


def _joint(name: str, parent: str, child: str, place: str, kind: str = "continuous") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin {place}/><axis xyz="0 0 1"/>'
        '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
    )


def _robot(name: str, *parts: str) -> str:
    links = [_LINK.format(link) for link in "abc"]
    return f'<robot name="{name}"><link name="ground"/>{"".join([*links, *parts])}</robot>'


#: One planar loop with one freedom, closed where b meets c, also at zero.
FOUR_BAR = _robot(
    "four_bar",
    _joint("crank", "ground", "a", 'xyz="0 0 0"'),
    _joint("coupler", "a", "b", 'xyz="0.4 0 0"'),
    _joint("rocker", "ground", "c", 'xyz="0.8 -0.4 0" rpy="0 0 1.5707963267948966"'),
    """<modular_dynamics version="1"><loop_joint name="cut" type="revolute">
<predecessor link="b" xyz="0.4 0 0"/><successor link="c" xyz="0.4 0 0"/><axis xyz="0 0 1"/></loop_joint>
<passive joint="coupler"/><passive joint="rocker"/></modular_dynamics>""",
)
