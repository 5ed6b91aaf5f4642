"""A node that keeps what it hears, in an executor under test."""

import time

from rclpy.node import Node
from std_msgs.msg import String

from helpers.nodes.waiting import LIMIT
from modular_dynamics_ros.diagnostics.change_log import ChangeLog


class Lines:
    """A logger that keeps its lines."""

    def __init__(self):
        self.lines = []
        self.info = self.warning = self.error = self.lines.append


class ListeningNode:
    """A node with a topic 'said' and an executor of the class `kind`."""

    def __init__(self, kind):
        self.node, self.logger, self.heard, self.ending = Node("listening"), Lines(), [], False
        self.executor = kind(ChangeLog(self.logger, lambda: 0.0), lambda: self.ending)
        self.executor.add_node(self.node)
        self.subscription = self.node.create_subscription(String, "said", self.on_said, 10)
        self.publisher = self.node.create_publisher(String, "said", 10)

    def on_said(self, message):
        self.heard.append(message.data)

    def spin_until(self, reached):
        deadline = time.monotonic() + LIMIT
        while not reached():
            assert time.monotonic() < deadline
            self.executor.spin_once(timeout_sec=0.05)

    def say(self, *texts):
        self.spin_until(self.publisher.get_subscription_count)
        count = len(self.heard) + len(texts)
        for text in texts:
            self.publisher.publish(String(data=text))
        self.spin_until(lambda: len(self.heard) >= count)

    def close(self):
        self.executor.shutdown()
        self.node.destroy_node()
