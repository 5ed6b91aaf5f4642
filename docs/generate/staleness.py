"""Picture of docs/explanation/staleness.md: what dynamics_node publishes when joint states stop.

A real node, once for each choice of on_stale; every dot is a message that arrived.
"""

import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray
from rclpy.publisher import Publisher
from sensor_msgs.msg import JointState

from docs.generate._drawing import FORCE, INK, MOMENT, QUIET, ROBOTS, WIDTH, Array, save, style
from docs.generate._running import Running, running
from modular_dynamics_ros.dynamics.node import DynamicsNode
from modular_dynamics_ros.messages.stamps import stamp_message, stamp_nanoseconds

JOINTS = ["turn", "bend", "left", "right"]
SHOWN = JOINTS.index("bend")
PERIOD, LOST, BACK, END = 0.01, 0.6, 1.8, 2.2  # [s] of joint states; when they stop, come again, end
RAMP = 0.6  # [s]
ROWS = {
    "stop": "on_stale: stop",
    "hold_gravity": "on_stale: hold_gravity",
    "ramp_to_zero": f"on_stale: ramp_to_zero, ramp_time: {RAMP:g} s",
}


class Record(NamedTuple):
    """What was sent and what came: times since the first joint state [s], torques [N m].

    ``answers``: whether a message is the answer to a joint state, whose stamp it has.
    """

    states: Array
    times: Array
    torques: Array
    answers: NDArray[np.bool_]
    stale_after: float


def make(out: Path) -> None:
    """Write the picture."""
    with style():
        figure = Figure(figsize=(WIDTH, 6.0), layout="constrained")
        rows = figure.subplots(4, 1, sharex=True, height_ratios=(0.5, 1, 1, 1))
        for axis, (on_stale, title) in zip(rows[1:], ROWS.items(), strict=True):
            record = _record(on_stale)
            _draw(axis, record, title)
        _draw_states(rows[0], record)
        rows[-1].set_xlabel("time [s]")
        handles = [
            Line2D([], [], color=MOMENT, marker=".", ls="", label="torques of a joint state"),
            Line2D([], [], color=FORCE, marker=".", ls="", label="published by on_stale"),
            Line2D([], [], color=QUIET, ls="--", label="what forward_command_controller writes"),
        ]
        figure.legend(
            handles=handles,
            loc="outside lower center",
            ncols=3,
            frameon=False,
            columnspacing=1.2,
            handletextpad=0.4,
        )
        save(figure, out / "staleness.png")


def _record(on_stale: str) -> Record:
    """Run a node with this on_stale; send joint states, none, and joint states again."""
    robot = str(ROBOTS / "four_link.urdf")
    with running(DynamicsNode, robot_description_file=robot, on_stale=on_stale, ramp_time=RAMP) as both:
        publisher = both.partner.create_publisher(JointState, "joint_states", 10)
        heard = both.listen(JointState, "dynamics_node/joint_torques")
        both.spin_until(lambda: _send(both, publisher, 0.0) and heard)
        start, due, sent = time.monotonic(), 0.0, dict[int, float]()
        while (now := time.monotonic() - start) < END:
            if now >= due and not LOST < now < BACK:
                sent[_send(both, publisher, now)], due = now, now + PERIOD
            both.executor.spin_once(timeout_sec=0.001)
        stale_after = both.node.parameters.stale_after
    stamped = [(at - start, stamp_nanoseconds(m.header.stamp), m.effort[SHOWN]) for at, m in heard]
    stamped = [one for one in stamped if one[1] >= min(sent)]  # earlier ones: until all were connected
    times, stamps, torques = zip(*stamped, strict=True)
    answers = np.array([stamp in sent for stamp in stamps])
    return Record(np.array([*sent.values()]), np.array(times), np.array(torques), answers, stale_after)


def _send(both: Running, publisher: Publisher, now: float) -> int:
    """Publish a joint state of a swinging joint; return its stamp [ns]."""
    angle, speed = 0.5 + 0.25 * np.sin(5.0 * now), 1.25 * np.cos(5.0 * now)
    message = JointState(name=JOINTS, position=[0.0, angle, 0.2, 0.2], velocity=[2.0, speed, 0.0, 0.0])
    stamp = both.node.now()
    message.header.stamp = stamp_message(stamp)
    publisher.publish(message)
    return int(stamp)


def _draw(axis: Axes, record: Record, title: str) -> None:
    """Draw the messages of one run, and what a controller without time limit makes of them."""
    times, torques, answers = record.times, record.torques, record.answers
    held = np.append(times, END), np.append(torques, torques[-1])
    axis.step(*held, where="post", color=QUIET, ls="--", lw=1.2, zorder=1)
    for chosen, colour in ((answers, MOMENT), (~answers, FORCE)):
        axis.plot(times[chosen], torques[chosen], ".", color=colour, ms=4)
    axis.axvspan(LOST + record.stale_after, BACK, color="0.93", zorder=0)
    axis.set_title(title, loc="left", fontweight="bold")
    axis.set_ylabel("torque of bend\n[N m]")
    axis.grid(alpha=0.25, lw=0.6)
    axis.set_ylim(-4.5, 0.5)
    axis.margins(x=0.0)


def _draw_states(axis: Axes, record: Record) -> None:
    """Draw when joint states were sent, and for how long the node waits."""
    axis.eventplot(record.states, colors=INK, linelengths=0.5, lineoffsets=0.25, linewidths=0.8)
    until = LOST + record.stale_after
    axis.annotate("", (until, 0.25), (LOST, 0.25), arrowprops={"arrowstyle": "<->", "color": INK})
    axis.text(0.5 * (LOST + until), 0.35, f"stale_after\n{record.stale_after:g} s", ha="center", va="bottom")
    axis.axvspan(until, BACK, color="0.93", zorder=0)
    axis.text(0.5 * (until + BACK), 0.25, "input is stale", ha="center", va="center")
    axis.set_title("joint states", loc="left", fontweight="bold")
    axis.set(ylim=(0.0, 1.2), yticks=[])
    axis.spines["left"].set_visible(False)
