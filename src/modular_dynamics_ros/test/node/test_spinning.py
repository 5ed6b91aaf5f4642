"""Which exceptions are the end of run_node, and which are faults."""

import pytest

from helpers.processes import run_python

pytestmark = pytest.mark.ros

SPINNING = """
import os, signal, sys
import rclpy
from rclpy.node import Node
from modular_dynamics_ros.node.spinning import run_node

def tick():
    if {asked}:
        os.kill(os.getpid(), signal.{number})
        while rclpy.ok():  # it may take the context away in the middle of any callback
            pass
    raise RuntimeError("Unable to convert call argument")

def make():
    node = Node("failing")
    node.create_timer(0.01, tick)
    return node

sys.exit(run_node(make, ""))
"""


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
def test_exceptions_after_the_end_was_asked_for_are_the_end(number):
    process = run_python("-c", SPINNING.format(asked=True, number=number), timeout=30)
    assert (process.returncode, process.stderr) == (0, "")


def test_exceptions_before_that_are_faults():
    process = run_python("-c", SPINNING.format(asked=False, number="SIGINT"), timeout=30)
    assert process.returncode == 1
    assert "RuntimeError: Unable to convert call argument" in process.stderr
