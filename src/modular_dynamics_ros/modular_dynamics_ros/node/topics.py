"""Qualities of service, and why they are what they are."""

from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy

__all__ = [
    "ANSWER_DEPTH",
    "DESCRIPTIONS",
    "JOINT_STATES",
    "LATCHED",
    "REQUESTS",
    "SENSOR",
    "STATIC_TRANSFORMS",
]

#: SensorDataQoS keeps 5: at 500 Hz a pause of 10 ms (another process on the core) would lose some. At 1 kHz
#: 200 are all that a pause of any length leaves fresh by the usual stale_after. Where states come faster than
#: they are answered, each waits behind a full queue: in a longer one it would become stale.
JOINT_STATES = QoSProfile(depth=200, reliability=ReliabilityPolicy.BEST_EFFORT)
#: A sensor may publish reliably or not.
SENSOR = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)
#: Published once, received by late subscribers too.
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
#: The same of robots that change: with a depth of 1 a description that is followed by the next one before it
#: is taken would be lost, and its joint states would belong to no robot.
DESCRIPTIONS = QoSProfile(depth=20, durability=DurabilityPolicy.TRANSIENT_LOCAL)
#: As tf2's listeners: every broadcaster of static transforms keeps one message.
STATIC_TRANSFORMS = QoSProfile(depth=100, durability=DurabilityPolicy.TRANSIENT_LOCAL)
#: Answers that a reliable publisher keeps for a slow subscriber: 0.2 s at 500 Hz.
ANSWER_DEPTH = 100
#: Requests to a service that wait while one is answered, and answers. The middleware drops what is above that
#: without a word.
REQUESTS = QoSProfile(depth=500, reliability=ReliabilityPolicy.RELIABLE)
