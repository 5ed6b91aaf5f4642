"""The nodes use nothing of rclpy that begins with an underscore, and none of its C code directly.

What begins with an underscore changes from one patch release to the next (`_tasks` went with rclpy 7.1.9).
"""

import inspect
import re

import pytest
from rclpy.executors import SingleThreadedExecutor
from rclpy.lifecycle import LifecycleNode
from rclpy.node import Node

from helpers.paths import ROOT
from modular_dynamics_ros.assembly.node import AssemblyNode
from modular_dynamics_ros.dynamics.node import DynamicsNode
from modular_dynamics_ros.moveit.node import MoveitPayloadNode
from modular_dynamics_ros.node.spinning import PersistentExecutor
from modular_dynamics_ros.player import JointStatePlayer
from modular_dynamics_ros.reactions import TorsoReactionNode
from modular_dynamics_ros.subsystem.node import SubsystemNode

pytestmark = pytest.mark.ros
FOLDERS = (
    "src/modular_dynamics_ros/modular_dynamics_ros",
    "src/modular_dynamics_bringup",
    "launch",
    "examples",
)
OF_PYTHON = {"_asdict", "_exit", "_fields", "_make", "_replace"}  # documented, of named tuples and of os
#: Attributes, also asked for by name; rclpy's way to its C code, and how it calls back.
USED = re.compile(
    r"""\.(_[a-z]\w*[a-z])|attr\w*\([^)"']*["'](_[a-z]\w*)|\.(handle|CallbackType)\b|rclpy\.(impl|_\w+)"""
)
OWN = re.compile(r"(?:self\.|def |class )(_[A-Za-z]\w*)|^ +(_[a-z]\w*):", re.M)
DERIVED = [
    *(AssemblyNode, DynamicsNode, MoveitPayloadNode, JointStatePlayer, TorsoReactionNode, SubsystemNode),
    PersistentExecutor,
]


def names(pattern, text):
    return {name for found in pattern.findall(text) for name in found if name}


def test_product_code_uses_no_private_member_of_rclpy():
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    texts = {path: path.read_text("utf-8") for path in paths if "test" not in path.parts}
    assert len(texts) > 100
    own = names(OWN, "\n".join(texts.values())) | OF_PYTHON
    assert {path: used for path, text in texts.items() if (used := names(USED, text) - own)} == {}


@pytest.mark.parametrize("kind", DERIVED, ids=lambda kind: kind.__name__)
def test_nodes_and_executors_use_and_hide_no_private_member_of_rclpys_classes(kind):
    """A method or an attribute of the same name would take the place of rclpy's."""
    bases = [one for one in kind.__mro__ if one.__module__.startswith("rclpy.")]
    assert {Node, LifecycleNode, SingleThreadedExecutor} & {*bases}
    theirs, ours = (
        set().union(*(re.findall(r"(?:self\.|def )(_[a-z]\w*)", inspect.getsource(one)) for one in classes))
        for classes in (bases, [one for one in kind.__mro__ if one.__module__.startswith("modular_dynamics")])
    )
    assert theirs
    assert theirs & ours == set()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("for task, *_ in executor._tasks: task()", {"_tasks"}),
        ("subscription.handle.take_message(kind, True)", {"handle"}),
        ("called = kind is Subscription.CallbackType.MessageOnly", {"CallbackType"}),
        ("from rclpy.impl.implementation_singleton import rclpy_implementation", {"impl"}),
        ("import rclpy._rclpy_pybind11", {"_rclpy_pybind11"}),
        ("there = hasattr(executor, '_guard')", {"_guard"}),
        ("class Mine:\n    def __init__(self): self._own = 1", set()),
    ],
)
def test_such_a_use_would_be_found(text, found):
    assert names(USED, text) - names(OWN, text) == found
