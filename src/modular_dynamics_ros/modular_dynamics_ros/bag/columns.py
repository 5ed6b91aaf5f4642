"""A bag that the command bag has written, or that recorded dynamics_node, as columns for plot."""

from array import array
from typing import Any

import numpy as np

from modular_dynamics.shell.command import UsageError
from modular_dynamics.shell.plot import Columns
from modular_dynamics_ros.bag.bag_results import RESIDUALS, TORQUES
from modular_dynamics_ros.bag.reading import Recording
from modular_dynamics_ros.bag.recorded_node import stamp_of
from modular_dynamics_ros.bag.writing import COMPONENTS
from modular_dynamics_ros.exceptions import BagError

__all__ = ["bag_columns"]


def bag_columns(path: str, beginnings: tuple[str, ...]) -> Columns:
    """Return the columns with these name beginnings, with times from the stamps.

    Raises:
        UsageError: no bag, or none with ~/joint_torques.
    """
    try:
        with Recording(path) as recording:
            return _columns(recording, path, beginnings)
    except BagError as error:
        raise UsageError(str(error)) from error


def _columns(recording: Recording, path: str, beginnings: tuple[str, ...]) -> Columns:
    torques = [topic for topic in recording.topics if topic.endswith(f"/{TORQUES}")]
    if len(torques) != 1:
        have = ", ".join(torques) or "none"
        raise UsageError(f"'{path}' needs one topic of torques, NODE/{TORQUES}; it has {have}")
    node = torques[0].removesuffix(TORQUES)
    wrenches = [topic for topic in recording.topics if topic.startswith(f"{node}connections/")]
    topics = [torques[0], f"{node}{RESIDUALS}", *(wrenches if "fx_" in beginnings else ())]
    rows: dict[str, tuple[Any, Any]] = {}

    def add(name: str, stamp: int, value: float) -> None:
        if name.startswith(beginnings):
            times, values = rows.setdefault(name, (array("q"), array("d")))
            times.append(stamp)
            values.append(value)

    for topic, _, message in recording.messages(topics):
        if message is None:
            continue
        stamp = stamp_of(message)
        if topic in wrenches:
            force, moment, name = message.wrench.force, message.wrench.torque, topic.split("/")[-2]
            numbers = (force.x, force.y, force.z, moment.x, moment.y, moment.z)
            for part, value in zip(COMPONENTS, numbers, strict=True):
                add(f"{part}_{name}", stamp, value)
        else:
            prefix = "tau_" if topic == torques[0] else "residual_"
            for name, value in zip(message.name, message.effort, strict=False):
                add(prefix + name, stamp, value)
    return _aligned(rows)


def _aligned(rows: dict[str, tuple[Any, Any]]) -> Columns:
    """Merge columns with different stamps into rows for all stamps; NaN where one has no value."""
    stamps = np.unique(
        np.concatenate([np.zeros(0, np.int64), *(np.array(times) for times, _ in rows.values())])
    )
    values = {}
    for name, (times, numbers) in rows.items():
        column = np.full(len(stamps), np.nan)
        column[np.searchsorted(stamps, np.array(times))] = numbers
        values[name] = column
    return Columns((stamps - stamps[:1]) * 1e-9, values)
