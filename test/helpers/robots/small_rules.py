"""Rules of small mechanisms, for tests."""

import copy

import numpy as np
import yaml

from modular_dynamics.loops import LoadCase

TABLE = """
name: a table on four legs
bodies: [table]
joints:
  a: {holds: table, by: floor, transmits: [Fx, Fy, Fz], at: [0.5, 0.3, 0]}
  b: {holds: table, by: floor, transmits: [Fz], at: [-0.5, 0.3, 0]}
  c: {holds: table, by: floor, transmits: [Fz], at: [-0.5, -0.3, 0]}
  d: {holds: table, by: floor, transmits: [Fx, Fz], at: [0.5, -0.3, 0]}
steps:
  - {body: table, balance: Mx about c, takes: [a.Fz, b.Fz], because: equally soft}
  - {body: table, balance: My about b, takes: d.Fz}
  - {body: table, balance: Fz, takes: c.Fz}
  - {body: table, balance: Mz about a, takes: d.Fx}
  - {body: table, balance: Fx, takes: a.Fx}
  - {body: table, balance: Fy, takes: a.Fy}
"""

DOOR = """
name: a door on three hinges, held by a spring
bodies: [door]
joints:
  top: {holds: door, by: frame, transmits: [Fx, Fy, Fz], at: [0, 0, 1.8]}
  mid: {holds: door, by: frame, transmits: [Fx, Fy, Fz], at: [0, 0, 1.0]}
  low: {holds: door, by: frame, transmits: [Fx, Fy, Fz], at: [0, 0, 0.2]}
  closer: {holds: door, by: frame, transmits: [pull], from: [0, 0.3, 1.9], at: [0.4, 0, 1.9]}
  handle: {holds: door, by: hand, transmits: [Fy], at: [0.8, 0, 1.0]}
steps:
  - {body: door, known: closer.pull}
  - {body: door, balance: Mz about low, takes: handle.Fy}
  - {body: door, zero: mid.Fx, because: it has play across}
  - {body: door, zero: mid.Fy, because: it has play across}
  - {body: door, balance: Fz, takes: {low.Fz: 2, mid.Fz: 1, top.Fz: 1}, because: the lowest is set first}
  - {body: door, balance: My about low, takes: top.Fx}
  - {body: door, balance: Mx about low, takes: top.Fy}
  - {body: door, balance: Fx, takes: low.Fx}
  - {body: door, balance: Fy, takes: low.Fy}
"""


def door(turn=0.0):
    c, s = np.cos(turn), np.sin(turn)
    R = np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])
    rotations, origins = {"door": R, "frame": np.eye(3)}, {"door": np.zeros(3), "frame": np.zeros(3)}
    required = [0.0, 0.0, 200.0, 0.0, -200.0 * 0.4, 0.0]  # 200 N at (0.4, 0, 1)
    return LoadCase(rotations, origins, {"door": required}, {"closer": 50.0})


def edited(change):
    """The door's rules, changed in place."""
    content = copy.deepcopy(yaml.safe_load(DOOR))
    change(content)
    return content
