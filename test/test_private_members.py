"""The nodes use nothing of rclpy that begins with an underscore, and none of its C code directly.

What begins with an underscore changes from one patch release to the next (`_tasks` went with rclpy 7.1.9).
"""

import ast
from pathlib import Path

import pytest
import rclpy

from helpers.paths import ROOT

FOLDERS = (
    "src/modular_dynamics_ros/modular_dynamics_ros",
    "src/modular_dynamics_bringup",
    "launch",
    "examples",
)
OF_PYTHON = {"_asdict", "_exit", "_fields", "_make", "_replace"}  # documented, of named tuples and of os
BARE = {"handle", "CallbackType"}  # rclpy's way to its C code, and how it calls back
ASKED_BY_NAME = {"getattr", "hasattr", "setattr", "delattr", "attrgetter"}


def is_private(name):
    return name.startswith("_") and not name.endswith("__")


def trees(folder):
    paths = sorted(Path(folder).rglob("*.py"))
    return {path: ast.parse(path.read_text("utf-8")) for path in paths if "test" not in path.parts}


def classes(found):
    """By name; of several of one name the last."""
    return {node.name: node for tree in found for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


def members(one):
    """Private names that a class defines, or assigns on self."""
    names = set()
    for node in ast.walk(one):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.attr)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return {name for name in names if is_private(name)}


def private_names(ours):
    return set().union(*map(members, ours.values()))


def base_names(one):
    """Of a class: what it derives from, as Base, module.Base or Base[Parameter]."""
    for base in one.bases:
        plain = base.value if isinstance(base, ast.Subscript) else base
        yield plain.attr if isinstance(plain, ast.Attribute) else getattr(plain, "id", "")


RCLPYS = classes(trees(Path(rclpy.__file__).parent).values())
OF_RCLPY = {name: members(one) for name, one in RCLPYS.items()}


def inherited(name, ours, seen=()):
    """Private names that a class has from rclpy's classes; None where it derives from none of them."""
    if name in seen:
        return None
    one = ours.get(name) or RCLPYS.get(name)
    found = [] if one is None else [inherited(base, ours, (*seen, name)) for base in base_names(one)]
    found = [names for names in found if names is not None]
    if one is not None and name not in ours:
        found.append(OF_RCLPY[name])
    return set().union(*found) if found else None


def uses(tree, ours, own):
    """(line, what) of each use of what rclpy hides.

    Args:
        ours: all classes of the project, by name. own: the private names that they define.
    """
    hidden = {}
    for one in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
        if names := inherited(one.name, ours):
            hidden |= {id(node): names for node in ast.walk(one)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = imported(node)
        elif isinstance(node, ast.Attribute):
            names = [node.attr] if is_hidden(node, own, hidden.get(id(node), set())) else []
        else:
            names = named_in_call(node) if isinstance(node, ast.Call) else []
        yield from ((node.lineno, name) for name in names)


def imported(node):
    names = [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        names = [f"{node.module}.{name}" for name in names]
    parts = [name.split(".") for name in names]
    return [
        ".".join(one) for one in parts if one[0] == "rclpy" and ("impl" in one or any(map(is_private, one)))
    ]


def is_hidden(node, own, inherited_names):
    of_self = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
    of_super = isinstance(node.value, ast.Call) and getattr(node.value.func, "id", "") == "super"
    if node.attr in BARE:
        return True
    if not is_private(node.attr) or node.attr in OF_PYTHON:
        return False
    return node.attr in inherited_names if of_self or of_super else node.attr not in own


def named_in_call(node):
    """Names of attributes in a call such as getattr(executor, "_tasks")."""
    if ASKED_BY_NAME.isdisjoint({getattr(node.func, "id", ""), getattr(node.func, "attr", "")}):
        return []
    texts = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    names = [text.rpartition(".")[2] for text in texts]
    return [name for name in names if is_private(name) or name in BARE]


def test_product_code_uses_no_private_member_of_rclpy():
    found = {path: tree for folder in FOLDERS for path, tree in trees(ROOT / folder).items()}
    assert len(found) > 140
    ours = classes(found.values())
    own = private_names(ours)
    for name in ("PersistentExecutor", "ManagedNode", "DynamicsNode", "JointStatePlayer"):
        assert inherited(name, ours)
    bad = [
        f"{path.relative_to(ROOT)}:{line}: {what}"
        for path, tree in found.items()
        for line, what in uses(tree, ours, own)
    ]
    assert bad == []


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("for task, *_ in executor._tasks: task()", "_tasks"),
        ("entity._executor_event = False", "_executor_event"),
        ("subscription.handle.take_message(kind, True)", "handle"),
        ("called = entity._callback_type is Subscription.CallbackType.MessageOnly", "CallbackType"),
        ("from rclpy.impl.implementation_singleton import rclpy_implementation", "rclpy.impl"),
        ("from rclpy._rclpy_pybind11 import RMWError", "rclpy._rclpy_pybind11"),
        ("import rclpy._rclpy_pybind11", "rclpy._rclpy_pybind11"),
        ("there = hasattr(executor, '_guard')", "_guard"),
        ("class Mine(SingleThreadedExecutor):\n    def spin(self): return self._guard", "_guard"),
        ("class Mine(SingleThreadedExecutor):\n    def spin(self): super()._spin_once_impl()", "_spin"),
        ("class Mine(Node):\n    def __init__(self): self._services = []", "_services"),
        ("class Mine(Node):\n    def __init__(self): self._own = 1", None),
        ("class Mine:\n    def __init__(self): self._services = []", None),
        ("moved = pose._replace(x=1.0)", None),
    ],
)  # fmt: skip
def test_such_a_use_would_be_found(text, what):
    prefix = "from rclpy.executors import SingleThreadedExecutor\nfrom rclpy.node import Node\n"
    tree = ast.parse(prefix + text)
    ours = classes([tree])
    found = [name for _, name in uses(tree, ours, private_names(ours))]
    assert (found == []) if what is None else any(name.startswith(what) for name in found)
