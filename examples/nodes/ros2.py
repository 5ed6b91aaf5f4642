"""The commands of `ros2` that the tutorials need, for the wheels of ROS 2, which have no `ros2`.

  python examples/nodes/ros2.py topic echo TOPIC [--once] [--field FIELD]
  python examples/nodes/ros2.py service call SERVICE TYPE "{field: value}"
  python examples/nodes/ros2.py param set NODE NAME VALUE

Words and output are those of `ros2`. It waits 10 s for a topic, service or node, then ends with code 1.
"""

import argparse
import sys
import time
from array import array
from collections.abc import Callable
from contextlib import suppress
from functools import reduce
from importlib import import_module

import rclpy
import yaml
from rcl_interfaces.srv import SetParameters
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile

PATIENCE = 10.0  # [s]


def type_of(name: str) -> type:
    """Return the class of a type such as sensor_msgs/msg/JointState."""
    package, kind, word = name.split("/")
    return getattr(import_module(f"{package}.{kind}"), word)


def fill(message: object, values: dict) -> object:
    """Set the fields of a message that are named; the others stay."""
    for name, value in values.items():
        fields = message.get_fields_and_field_types()
        if name not in fields:
            sys.exit(f"{type(message).__name__} has no field {name!r}; its fields: {', '.join(fields)}")
        old = getattr(message, name)
        if isinstance(value, dict) != hasattr(old, "get_fields_and_field_types"):
            sys.exit(f"{name!r} of {type(message).__name__} is of type {fields[name]}, not {value}")
        if isinstance(value, dict):
            fill(old, value)
        else:
            setattr(message, name, float(value) if isinstance(old, float) else value)
    return message


def plain(value: object) -> object:
    """Return a message as dictionaries, lists and numbers."""
    if hasattr(value, "get_fields_and_field_types"):
        return {name: plain(getattr(value, name)) for name in value.get_fields_and_field_types()}
    if isinstance(value, list | tuple | array) or hasattr(value, "tolist"):
        return [plain(one) for one in value]
    return value[0] if isinstance(value, bytes) else value


def wait_for(node: Node, what: str, ready: Callable[[], object]) -> object:
    """Return what `ready` returns as soon as it is true."""
    end = time.monotonic() + PATIENCE
    while not (found := ready()):
        if time.monotonic() > end:
            sys.exit(f"{what} within {PATIENCE:g} s")
        rclpy.spin_once(node, timeout_sec=0.05)
    return found


def echo(node: Node, words: argparse.Namespace) -> None:
    """Print the messages of a topic, taken with its publisher's QoS."""
    topic, received = words.topic, []
    (info, *_) = wait_for(node, f"nobody publishes {topic}", lambda: node.get_publishers_info_by_topic(topic))
    offered = info.qos_profile
    qos = QoSProfile(depth=100, reliability=offered.reliability, durability=offered.durability)
    node.create_subscription(type_of(info.topic_type), topic, received.append, qos)
    wait_for(node, f"no message on {topic}", lambda: received)
    while True:
        while received:
            message = received.pop(0)
            if words.field:
                print(reduce(getattr, words.field.split("."), message))
            else:
                print(yaml.safe_dump(plain(message), sort_keys=False), end="")
            print("---", flush=True)
            if words.once:
                return
        rclpy.spin_once(node)


def call(node: Node, words: argparse.Namespace) -> None:
    """Print the answer of a service."""
    kind = type_of(words.type)
    request = fill(kind.Request(), yaml.safe_load(words.values) or {})
    print(
        f"requester: making request: {request}\n\nresponse:\n{answer(node, kind, words.service, request)}\n"
    )


def answer(node: Node, kind: type, service: str, request: object) -> object:
    """Return the answer to a request."""
    client = node.create_client(kind, service)
    wait_for(node, f"no service {service}", client.service_is_ready)
    future = client.call_async(request)
    wait_for(node, f"no answer of {service}", future.done)
    return future.result()


def set_parameter(node: Node, words: argparse.Namespace) -> None:
    """Set a parameter of a running node."""
    value = Parameter(words.name, value=yaml.safe_load(words.value)).to_parameter_msg()
    service = f"{words.node}/set_parameters"
    (result,) = answer(node, SetParameters, service, SetParameters.Request(parameters=[value])).results
    if not result.successful:
        sys.exit(f"Setting parameter failed: {result.reason}")
    print("Set parameter successful")


def main() -> None:
    """Do what the arguments say."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    groups = parser.add_subparsers(required=True, metavar="topic|service|param")
    command = groups.add_parser("topic").add_subparsers(required=True).add_parser("echo")
    command.add_argument("topic")
    command.add_argument("--once", action="store_true", help="end after the first message")
    command.add_argument("--field", help="of the message, such as effort or header.stamp")
    command.set_defaults(run=echo)
    command = groups.add_parser("service").add_subparsers(required=True).add_parser("call")
    command.add_argument("service")
    command.add_argument("type", help="such as std_srvs/srv/Trigger")
    command.add_argument("values", nargs="?", default="{}", help="of the request, as YAML")
    command.set_defaults(run=call)
    command = groups.add_parser("param").add_subparsers(required=True).add_parser("set")
    for word in ("node", "name", "value"):
        command.add_argument(word)
    command.set_defaults(run=set_parameter)
    words = parser.parse_args()
    rclpy.init()
    with suppress(KeyboardInterrupt, ExternalShutdownException, BrokenPipeError):
        words.run(Node("ros2_with_wheels"), words)


if __name__ == "__main__":
    main()
