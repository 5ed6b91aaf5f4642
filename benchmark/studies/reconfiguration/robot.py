"""A robot with a gripper and a load: as a graph, and in Pinocchio of a URDF that says the same."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np
import pinocchio

import modular_dynamics as md
from modular_dynamics.algebra.conversion import from_xyz_rpy

PREFIX = "g/"
XYZ, RPY = (0.01, -0.02, 0.08), (0.0, 0.0, 0.7)  # of the gripper in its link
INERTIAL = (
    '<inertial><origin xyz="{}"/><mass value="{}"/>'
    '<inertia ixx="{}" iyy="{}" izz="{}" ixy="{}" ixz="{}" iyz="{}"/></inertial>'
)
GRIPPER = f"""<robot name="gripper">
  <link name="palm">{INERTIAL.format("0 0.01 0.04", 0.7, 0.002, 0.0018, 0.001, 1e-4, 0, 2e-4)}</link>
  <link name="left">{INERTIAL.format("0.01 0.02 0.03", 0.09, 1e-4, 1.1e-4, 5e-5, 0, 1e-5, 0)}</link>
  <link name="right">{INERTIAL.format("-0.01 0.02 0.03", 0.08, 1e-4, 0.9e-4, 6e-5, 0, 1e-5, 0)}</link>
  <joint name="left_finger" type="prismatic"><parent link="palm"/><child link="left"/>
    <origin xyz="0.03 0 0.1"/><axis xyz="1 0 0"/><limit lower="0" upper="0.04" effort="40" velocity="1"/>
  </joint>
  <joint name="right_finger" type="revolute"><parent link="palm"/><child link="right"/>
    <origin xyz="-0.03 0 0.1"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="4" velocity="1"/>
  </joint>
</robot>"""


class Load(NamedTuple):
    """A payload: mass [kg], centre of mass [m], ixx iyy izz [kg m^2]."""

    mass: float
    com: tuple[float, float, float]
    moments: tuple[float, float, float]


class Body(NamedTuple):
    """How the robot is changed."""

    gripper: bool = False
    load: Load | None = None


class Expected:
    """Torques of a robot that is loaded and changed anew.

    Args:
        urdf: path of the robot. link: that carries gripper and load.
    """

    def __init__(self, urdf: Path, link: str, body: Body) -> None:
        self._graph, self._model = _graph(urdf, link, body), _model(urdf, link, body)
        self._data = self._model.createData()

    def difference(
        self, q: Mapping[str, float], v: Mapping[str, float], efforts: Mapping[str, float]
    ) -> float:
        """Of efforts from both, relative to the largest torque; infinite where the joints are others.

        Args:
            q, v: of these joints at least.
        """
        names, model = self._graph.joint_names, self._model
        if {*efforts} != {*names}:
            return float("inf")
        positions, velocities = (np.array([values[name] for name in names]) for values in (q, v))
        ours = md.inverse_dynamics(self._graph, positions, velocities, np.zeros(len(names)))
        pq, pv = pinocchio.neutral(model), np.zeros(model.nv)
        for name in names:
            joint = model.joints[model.getJointId(name)]
            turns = joint.nq == 2  # as the cosine and sine of its angle
            at = (np.cos(q[name]), np.sin(q[name])) if turns else q[name]
            pq[joint.idx_q : joint.idx_q + joint.nq], pv[joint.idx_v] = at, v[name]
        every = pinocchio.rnea(model, self._data, pq, pv, np.zeros(model.nv))
        theirs = np.array([every[model.joints[model.getJointId(name)].idx_v] for name in names])
        got = np.array([efforts[name] for name in names])
        apart = max(np.abs(got - ours).max(), np.abs(got - theirs).max())
        return float(apart / max(1.0, np.abs(ours).max()))


def _graph(urdf: Path, link: str, body: Body) -> md.SubsystemGraph:
    graph = md.load_urdf(urdf)
    if body.gripper:
        graph = graph.attach(md.load_urdf(GRIPPER), link, from_xyz_rpy(XYZ, RPY), prefix=PREFIX)
    if body.load is not None:
        mass, com, moments = body.load
        graph = graph.with_payload(link, mass=mass, com=com, inertia=np.diag(moments))
    return graph


def _model(urdf: Path, link: str, body: Body) -> Any:
    root = ElementTree.fromstring(urdf.read_text("utf-8"))
    for tags in root.findall("modular_dynamics"):
        root.remove(tags)
    if body.gripper:
        _add_gripper(root, link)
    if body.load is not None:
        mass, com, (xx, yy, zz) = body.load
        inertial = INERTIAL.format(" ".join(map(repr, com)), mass, xx, yy, zz, 0, 0, 0)
        root.append(ElementTree.fromstring(f'<link name="load">{inertial}</link>'))
        root.append(_mount("load_mount", link, "load", (0, 0, 0), (0, 0, 0)))
    return pinocchio.buildModelFromXML(ElementTree.tostring(root, "unicode"))


def _mount(name: str, parent: str, child: str, xyz: Any, rpy: Any) -> ElementTree.Element:
    place = f'xyz="{" ".join(map(str, xyz))}" rpy="{" ".join(map(str, rpy))}"'
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return ElementTree.fromstring(f'<joint name="{name}" type="fixed">{ends}<origin {place}/></joint>')


def _add_gripper(root: ElementTree.Element, link: str) -> None:
    for element in ElementTree.fromstring(GRIPPER):
        element.set("name", PREFIX + str(element.get("name")))
        for end in (*element.findall("parent"), *element.findall("child")):
            end.set("link", PREFIX + str(end.get("link")))
        root.append(element)
    root.append(_mount(f"{PREFIX}mount", link, f"{PREFIX}palm", XYZ, RPY))
