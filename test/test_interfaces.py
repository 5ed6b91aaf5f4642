"""docs/reference/interfaces.md and the nodes: topics, services, types and QoS are the same, both ways.

A missing row is printed as it begins in the page's table.
"""

import re
from typing import Any, NamedTuple

import pytest
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import DurabilityPolicy, QoSProfile

from docs.generate import ros_graph
from helpers.nodes.waiting import SpunNodes
from helpers.paths import ROBOTS, ROOT
from modular_dynamics_ros.assembly.node import AssemblyNode
from modular_dynamics_ros.dynamics.node import DynamicsNode
from modular_dynamics_ros.lifecycle.node import SUCCESS, ManagedNode
from modular_dynamics_ros.messages.trajectories import JointTrajectoryControllerState
from modular_dynamics_ros.player import JointStatePlayer
from modular_dynamics_ros.reactions import TorsoReactionNode
from modular_dynamics_ros.subsystem.node import SubsystemNode

pytestmark = [pytest.mark.ros, pytest.mark.usefixtures("ros")]

PAGE = (ROOT / "docs/reference/interfaces.md").read_text("utf-8")
KINDS = "subscribed", "published", "service", "client"  # first word of a table
COMMON = "Every node"  # heading of what rclpy and all lifecycle nodes have
# Topics whose messages the wheels of ROS 2 do not have.
INSTALLED = {"controller_state": JointTrajectoryControllerState}
MOTION = "duration: 1.0\nsegments: [{until: 1.0, scale: 1.0}]\naccelerations: {a: 1.0}\n"
BOXED = """version: 1
subsystems:
  - {name: stem, joints: [turn, bend]}
  - {name: left_branch, joints: [left]}
  - {name: right_branch, root_link: right_branch, black_box: true}
"""


class Entity(NamedTuple):
    """A publisher, subscription, service or client; in a row of the page NAME stands for any name."""

    kind: str
    name: str
    type: str
    qos: str

    def __str__(self) -> str:
        return f"{self.kind}: | `{self.name}` | `{self.type}` | {self.qos} |"

    def covers(self, other: "Entity") -> bool:
        name = re.escape(self.name).replace("NAME", "[^/]+")
        return re.fullmatch(name, other.name) is not None and self._replace(name=other.name) == other


def documented(section: str) -> list[Entity]:
    """The rows of the tables under a heading."""
    text = re.search(rf"^## {section}\n(.*?)(?=^## |\Z)", PAGE, re.M | re.S)[1]
    rows, kind = [], ""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else [""]
        kind = cells[0] if cells[0] in KINDS else kind if line.startswith("|") else ""
        if kind and (name := re.fullmatch("`(.*)`", cells[0])):
            rows.append(Entity(kind, name[1], cells[1].strip("`"), cells[2]))
    return [row for row in rows if INSTALLED.get(row.name, row) is not None]


def qos_text(qos: QoSProfile | None) -> str:
    """As in the page. Without a profile: of what rclpy hides, only name and type are known."""
    if qos is None:
        return "rclpy's"
    kept = ", transient local" if qos.durability == DurabilityPolicy.TRANSIENT_LOCAL else ""
    return f"{qos.reliability.name.lower().replace('_', ' ')}{kept}, {qos.depth}"


def entities(node: Node) -> set[Entity]:
    """All that the ROS graph knows of a node in a namespace; names as in the page."""
    full = node.get_name(), node.get_namespace()
    own: dict[tuple[str, str], Any] = {("published", one.topic_name): one for one in node.publishers}
    own |= {("subscribed", one.topic_name): one for one in node.subscriptions}
    own |= {("service", node.resolve_service_name(one.srv_name)): one for one in node.services}
    own |= {("client", node.resolve_service_name(one.srv_name)): one for one in node.clients}

    def graph() -> dict[tuple[str, str], str]:
        asked = (
            node.get_subscriber_names_and_types_by_node(*full),
            node.get_publisher_names_and_types_by_node(*full),
            node.get_service_names_and_types_by_node(*full),
            node.get_client_names_and_types_by_node(*full),
        )
        return {
            (kind, name): re.sub("/(msg|srv)/", "/", kind_of[0])
            for kind, answer in zip(KINDS, asked, strict=True)
            for name, kind_of in answer
        }

    nodes = SpunNodes(node)
    try:
        nodes.spin_until(lambda: own.keys() <= graph().keys(), "the ROS graph")
    finally:
        nodes.executor.shutdown()
    return {
        Entity(
            kind, short(name, node), kind_of, qos_text(getattr(own.get((kind, name)), "qos_profile", None))
        )
        for (kind, name), kind_of in graph().items()
    }


def short(name: str, node: Node) -> str:
    """Relative to the node, or to its namespace, where it is."""
    space = f"{node.get_namespace()}/"
    private = f"{space}{node.get_name()}/"
    return f"~/{name.removeprefix(private)}" if name.startswith(private) else name.removeprefix(space)


class Found(NamedTuple):
    """By node, all that it has; and the parts of /diagnostics of all nodes."""

    entities: dict[str, set[Entity]]
    parts: set[str]


@pytest.fixture(scope="module")
def found(ros, tmp_path_factory) -> Found:
    """With several robots and parameters, active."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "boxed.yaml").write_text(BOXED)
    (folder / "motion.yaml").write_text(MOTION)
    torso = ROBOTS / "charmie_torso.urdf"
    robot = {"robot_description_file": str(ROBOTS / "four_link.urdf")}
    boxed = robot | {"partition_file": str(folder / "boxed.yaml"), "floating_base": True}
    closed = {"robot_description_file": str(ROBOTS / "exoskeleton.urdf"), "gravity_source": "imu"}
    rules = {"rules_file": str(ROBOTS / "charmie_torso_rules.yaml")}
    set_points = [] if JointTrajectoryControllerState is None else [{"reference_type": "controller_state"}]
    whole = rules | {"robot_description_file": str(torso), "loads": "topics"}
    runs = {
        DynamicsNode: [
            {},
            boxed,
            robot | {"publish_robot_description": True},
            closed | {"use_sim_time": True},
            *(robot | one for one in set_points),
        ],
        TorsoReactionNode: [rules, whole, *(whole | one for one in set_points)],
        SubsystemNode: [{}, {"robot_description_file": str(ROBOTS / "charmie.urdf"), "subsystem": "torso"}],
        AssemblyNode: [{"robot_state_publisher": "state_publisher"}],
        JointStatePlayer: [{"motion_file": str(folder / "motion.yaml")}],
    }
    have, parts = dict[str, set[Entity]](), set[str]()
    for number, (make, parameters) in enumerate((kind, one) for kind in runs for one in runs[kind]):
        overrides = [Parameter(name, value=value) for name, value in parameters.items()]
        # each in a namespace of its own: the graph may take a node's end for that of the next one of its name
        node = make(namespace=f"/robot{number}", parameter_overrides=overrides)
        if isinstance(node, ManagedNode):
            assert node.trigger_configure() == node.trigger_activate() == SUCCESS
            parts |= {status.name for status in node.report()[1]}
        have[node.get_name()] = have.get(node.get_name(), set()) | entities(node)
        node.destroy_node()
    return Found(have, parts)


@pytest.mark.parametrize(
    "node",
    ["dynamics_node", "torso_reaction_node", "subsystem_node", "assembly_node", "joint_state_player"],
)
def test_what_a_node_has_is_on_the_page_and_the_other_way_round(found, node):
    rows, common = documented(node), documented(COMMON)
    missing = [one for one in found.entities[node] if not any(row.covers(one) for row in [*rows, *common])]
    unknown = [row for row in rows if not any(row.covers(one) for one in found.entities[node])]
    assert (sorted(map(str, missing)), list(map(str, unknown))) == ([], [])  # on the node, on the page only


def test_the_picture_of_dynamics_node_has_its_topics_and_services(found):
    own = {(one.kind, ros_graph.short_name(one.name)) for one in found.entities["dynamics_node"]}
    assert {one for one in own if not ros_graph.COMMON.fullmatch(one[1])} == ros_graph.DRAWN


def test_what_every_node_has_is_on_the_page_once(found):
    everywhere = set.union(*found.entities.values())
    assert [str(row) for row in documented(COMMON) if not any(map(row.covers, everywhere))] == []
    names = [(row.kind, row.name) for row in documented(COMMON)]
    again = {(row.kind, row.name) for node in found.entities for row in documented(node)} & {*names}
    assert (len(names), again) == (len({*names}), set())


def test_the_parts_of_diagnostics_are_those_of_the_page(found):
    page = (ROOT / "docs/reference/diagnostics.md").read_text("utf-8")
    table = re.search(r"^## Diagnostics\n(.*)", page, re.M | re.S)[1]
    assert set(re.findall(r"^\| `([\w -]+)` \|", table, re.M)) == found.parts


MESSAGES = sorted((ROOT / "src/modular_dynamics_interfaces").glob("*/*.[ms][sr][gv]"))


@pytest.mark.parametrize("path", MESSAGES, ids=lambda path: path.stem)
def test_every_field_with_a_unit_says_which(path):
    """Numbers with a fraction, and what geometry_msgs holds."""
    fields = re.findall(r"^((?:float\d+|geometry_msgs/\w+)\S* .*)$", path.read_text("utf-8"), re.M)
    assert [field for field in fields if not re.search(r"#.*\[[^\]]+\]", field)] == []
