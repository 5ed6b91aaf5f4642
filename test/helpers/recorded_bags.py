"""Bags that tests record by the package rosbags, which needs no ROS."""

import numpy as np
from rosbags.rosbag2 import CompressionFormat, CompressionMode, StoragePlugin, Writer
from rosbags.typesys import Stores, get_typestore

STORE = get_typestore(Stores.ROS2_JAZZY)
JOINT_STATE, TEXT, WRENCH = (
    "sensor_msgs/msg/JointState",
    "std_msgs/msg/String",
    "geometry_msgs/msg/WrenchStamped",
)
START = 1_700_000_000_000_000_000  # [ns] of the first message


def header(stamp, frame=""):
    time = STORE.types["builtin_interfaces/msg/Time"](*divmod(stamp, 1_000_000_000))
    return STORE.types["std_msgs/msg/Header"](stamp=time, frame_id=frame)


def joint_state(stamp, names, q, v=(), effort=(), frame=""):
    numbers = (np.array(values, dtype=float) for values in (q, v, effort))
    return JOINT_STATE, STORE.types[JOINT_STATE](header(stamp, frame), list(names), *numbers)


def text(content):
    return TEXT, STORE.types[TEXT](data=content)


def wrench(stamp, frame, values):
    vector = STORE.types["geometry_msgs/msg/Vector3"]
    parts = (vector(*map(float, values[:3])), vector(*map(float, values[3:])))
    return WRENCH, STORE.types[WRENCH](header(stamp, frame), STORE.types["geometry_msgs/msg/Wrench"](*parts))


def odometry(stamp, frame, child, quaternion, twist):
    """Quaternion x y z w; twist linear, angular."""
    types, kind = STORE.types, "nav_msgs/msg/Odometry"
    vector = types["geometry_msgs/msg/Vector3"]
    pose = types["geometry_msgs/msg/Pose"](
        types["geometry_msgs/msg/Point"](0.0, 0.0, 0.0),
        types["geometry_msgs/msg/Quaternion"](*map(float, quaternion)),
    )
    moved = types["geometry_msgs/msg/Twist"](vector(*map(float, twist[:3])), vector(*map(float, twist[3:])))
    covariance = np.zeros(36)
    return kind, types[kind](
        header(stamp, frame),
        child,
        types["geometry_msgs/msg/PoseWithCovariance"](pose, covariance),
        types["geometry_msgs/msg/TwistWithCovariance"](moved, covariance),
    )


def write_bag(folder, messages, *, storage="mcap", compressed=None):
    """Record (topic, time [ns], (type, message)) in a new folder; return it.

    compressed: "message" or "file" by zstd, or "storage": the chunks of an MCAP.
    """
    writer = Writer(folder, version=9, storage_plugin=StoragePlugin[storage.upper()])
    if compressed:
        writer.set_compression(CompressionMode[compressed.upper()], CompressionFormat.ZSTD)
    connections = {}
    with writer:
        for topic, time, (kind, message) in messages:
            if (topic, kind) not in connections:
                connections[topic, kind] = writer.add_connection(topic, kind, typestore=STORE)
            data = message if isinstance(message, bytes) else STORE.serialize_cdr(message, kind)
            writer.write(connections[topic, kind], time, data)
    return folder


def moving_states(names, count, *, efforts=None, start=START, delay=1_000_000):
    """Joint states in smooth motion, recorded `delay` [ns] after their stamps; and their (q, v)."""
    phases = np.linspace(0.3, 1.7, len(names))
    messages, motion = [], []
    for k in range(count):
        t = k / 500.0  # [s]
        q, v = 0.5 * np.sin(2.0 * t + phases), np.cos(2.0 * t + phases)
        stamp = start + round(t * 1e9)
        effort = () if efforts is None else efforts(k)
        messages.append(("/joint_states", stamp + delay, joint_state(stamp, names, q, v, effort)))
        motion.append((q, v))
    return messages, motion
