"""What callers pass: a graph where a graph belongs."""

import inspect
from dataclasses import is_dataclass
from pathlib import Path

import numpy as np
import pytest

import modular_dynamics as md


def takes_a_graph(function):
    if inspect.isclass(function) and (issubclass(function, BaseException) or is_dataclass(function)):
        return False  # structures keep what they are given
    return callable(function) and next(iter(inspect.signature(function).parameters), None) == "graph"


TAKING_A_GRAPH = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in (md, md.crosscheck, md.joint_order, md.mjcf)
    for name in module.__all__
    if takes_a_graph(getattr(module, name))
}


def arguments_of(function):
    needed = [p for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    positional = [p for p in needed if p.kind is p.POSITIONAL_OR_KEYWORD]
    return {p.name: "tool" if p.name == "link" else np.zeros(3) for p in positional[1:]}


ORDERS = {
    f"orders.{name}": getattr(md.joint_order, name) for name in md.joint_order.__all__ if name != "JointOrder"
}


def test_many_functions_take_a_graph():
    assert {f"modular_dynamics.{name}" for name in ("inverse_dynamics", "compose", "InverseDynamics")} <= {
        *TAKING_A_GRAPH
    }


@pytest.mark.parametrize("function", (TAKING_A_GRAPH | ORDERS).values(), ids=TAKING_A_GRAPH | ORDERS)
@pytest.mark.parametrize("source", ["robot.urdf", Path("robot.urdf"), None], ids=["text", "path", "none"])
def test_something_else_where_a_graph_belongs_raises_an_error_that_names_it(function, source):
    with pytest.raises(md.GraphTypeError, match=r"where a SubsystemGraph is needed; graph = md\.load_urdf\("):
        function(source, **arguments_of(function))


def test_something_else_that_is_attached_is_said_so(load_robot):
    graph = load_robot("four_link")
    for other in ("robot.urdf", None):
        with pytest.raises(md.GraphTypeError, match="where a SubsystemGraph is needed"):
            graph.attach(other, graph.links[-1])
