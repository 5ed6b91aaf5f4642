"""The nodes use nothing of rclpy that begins with an underscore, and none of its C code directly.

What begins with an underscore changes from one patch release to the next (`_tasks` went with rclpy 7.1.9).
"""

import ast
import inspect
import re

import pytest
from rclpy.executors import SingleThreadedExecutor
from rclpy.lifecycle import LifecycleNode
from rclpy.node import Node

from helpers.paths import ROOT
from modular_dynamics_ros.assembly.node import AssemblyNode
from modular_dynamics_ros.dynamics.node import DynamicsNode
from modular_dynamics_ros.lifecycle.executor import PersistentExecutor
from modular_dynamics_ros.moveit.node import MoveitPayloadNode
from modular_dynamics_ros.player import JointStatePlayer
from modular_dynamics_ros.reactions.node import TorsoReactionNode
from modular_dynamics_ros.subsystem.node import SubsystemNode

pytestmark = pytest.mark.ros
FOLDERS = (
    "src/modular_dynamics_ros/modular_dynamics_ros",
    "src/modular_dynamics_bringup",
    "launch",
    "examples",
)
OF_PYTHON = {"_asdict", "_exit", "_fields", "_make", "_replace"}  # documented, of named tuples and of os
BARE = {"handle", "CallbackType"}  # rclpy's way to its C code, and how it calls back
ASKED_BY_NAME = {"getattr", "hasattr", "setattr", "delattr", "attrgetter"}
DERIVED = [
    *(AssemblyNode, DynamicsNode, MoveitPayloadNode, JointStatePlayer, TorsoReactionNode, SubsystemNode),
    PersistentExecutor,
]


def is_private(name):
    return name.startswith("_") and not name.endswith("__")


def defined(trees):
    """Private names that functions, classes or assignments to attributes of the project define."""
    names = set()
    for node in (node for tree in trees for node in ast.walk(tree)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.attr)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return {name for name in names if is_private(name)}


def uses(tree, own):
    """(line, what) of each use of what rclpy hides; own: the private names that the project defines."""
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.Import | ast.ImportFrom):
            module = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            paths = [f"{module}{alias.name}".split(".") for alias in node.names]
            names = [
                ".".join(path)
                for path in paths
                if path[0] == "rclpy" and ("impl" in path or any(map(is_private, path)))
            ]
        elif isinstance(node, ast.Attribute):
            hidden = is_private(node.attr) and node.attr not in OF_PYTHON | own
            names = [node.attr] * (hidden or node.attr in BARE)
        elif isinstance(node, ast.Call):
            called = {getattr(node.func, "id", ""), getattr(node.func, "attr", "")}
            texts = [
                one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)
            ]
            words = [text.rpartition(".")[2] for text in texts if called & ASKED_BY_NAME]
            names = [name for name in words if is_private(name) or name in BARE]
        yield from ((node.lineno, name) for name in names)


def test_product_code_uses_no_private_member_of_rclpy():
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    trees = {path: ast.parse(path.read_text("utf-8")) for path in paths if "test" not in path.parts}
    assert len(trees) > 100
    own = defined(trees.values())
    assert [f"{path}:{line}: {what}" for path, tree in trees.items() for line, what in uses(tree, own)] == []


@pytest.mark.parametrize("kind", DERIVED, ids=lambda kind: kind.__name__)
def test_nodes_and_executors_hide_no_private_member_of_rclpys_classes(kind):
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
    ("text", "what"),
    [
        ("for task, *_ in executor._tasks: task()", "_tasks"),
        ("subscription.handle.take_message(kind, True)", "handle"),
        ("called = entity._callback_type is Subscription.CallbackType.MessageOnly", "CallbackType"),
        ("from rclpy.impl.implementation_singleton import rclpy_implementation", "rclpy.impl"),
        ("import rclpy._rclpy_pybind11", "rclpy._rclpy_pybind11"),
        ("there = hasattr(executor, '_guard')", "_guard"),
        ("class Mine:\n    def __init__(self): self._own = 1", None),
        ("moved = pose._replace(x=1.0)", None),
    ],
)
def test_such_a_use_would_be_found(text, what):
    tree = ast.parse(text)
    found = [name for _, name in uses(tree, defined([tree]))]
    assert (found == []) if what is None else what in [name[: len(what)] for name in found]
