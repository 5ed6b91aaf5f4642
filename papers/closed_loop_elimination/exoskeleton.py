"""The exoskeleton with several sets of lengths, its states, and the public files' reference case.

reference_case.json was evaluated from the generated functions of
SchapplM/robsynth-paper_iftommwc2019_dynamics_hybridrobots (MIT licence), the paper's public files.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from math import atan2, hypot, pi
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

import modular_dynamics as md
from urdf.generators.exoskeleton import INERTIAS, Parameters, urdf_text

Array = NDArray[np.float64]
#: q1, v1, a1 (m, 5) [rad, s], and the coordinates of all joints (m, 13).
States = tuple[Array, Array, Array, Array]
STATES = 100  # at which methods are compared
REFERENCE = json.loads(Path(__file__).with_name("reference_case.json").read_text("utf-8"))
(CASE,) = REFERENCE["cases"]

#: The public files' second set, from the CAD model; the first one is that of urdf/exoskeleton.urdf.
CAD = Parameters(
    L2=0.1479788033874222, L4=0.25743477532274756, L5=0.0215, L6=0.0215, L7=0.26579720329431705,
    L8=0.022000636309252641, L9=0.13, L10=0.060467922757048584, L11=0.08, L12=0.035529036450658164,
    L13=hypot(0.056335841084723323, 0.071012565588095974), L14=0.15815182578775372, L15=0.18550876399893654,
    eta_6=pi / 2, eta_12=1.6304841265086341, eta_13=atan2(0.056335841084723323, 0.071012565588095974),
)  # fmt: skip
#: Bounds [rad] of rho_1, rho_2, rho_5 and rho_7 at random states, within the published limits.
BOUNDS = (-1.5, 0.75), (-2.3, 0.5), (0.05, 1.5), (-3.0, 3.0)
#: Of rho_4; the CAD model's passive joints are within their limits for less of it.
RHO_4 = 0.05, 1.5
CAD_RHO_4 = 0.3, 0.65


def generic() -> Parameters:
    """Return lengths and angles of which no two are equal and none is zero, near the first set."""
    values = asdict(replace(Parameters(), L6=0.0205, eta_1=0.03, eta_8=0.05))
    factors = 1.0 + 0.01 * np.random.default_rng(0).uniform(-1.0, 1.0, len(values))
    return Parameters(**dict(zip(values, (factors * [*values.values()]).tolist(), strict=True)))


def named(parameters: Parameters) -> dict[str, float]:
    """Return lengths [m] and angles [rad] by name; 2 L5 and 2 L6, which occur as such, are one each."""
    values = asdict(parameters)
    doubled = {"L5", "L6"}
    return {f"2{k}" if k in doubled else k: 2.0 * v if k in doubled else v for k, v in values.items()}


def urdf(parameters: Parameters | None = None, inertias: Mapping[str, Any] | None = None) -> str:
    """Return the URDF with other lengths or inertias than urdf/exoskeleton.urdf has."""
    return urdf_text(inertias or yaml.safe_load(INERTIAS.read_text("utf-8")), parameters)


def reference_inertias() -> dict[str, dict[str, Any]]:
    """Return the reference case's table of inertias, as the generator of the robot reads them."""
    shape = np.array([[1.0, 0.1, -0.05], [0.1, 1.2, 0.08], [-0.05, 0.08, 1.5]])[np.triu_indices(3)]
    return {
        f"body_{i}": {
            "mass": 0.3 + 0.1 * i,
            "com": [0.01 * i, 0.02, -0.005 * i],
            "inertia": (1e-3 * i * shape).tolist(),
        }
        for i in range(1, 16)
    }


def random_states(graph: md.SubsystemGraph, count: int, rho_4: tuple[float, float] = RHO_4) -> States:
    """Return random states of the exoskeleton, the same in every run."""
    rng = np.random.default_rng(0)
    q = rng.uniform(*np.transpose([*BOUNDS[:2], rho_4, *BOUNDS[2:]]), (count, 5))
    v, a = rng.normal(size=(2, *q.shape))
    return q, v, a, np.array([md.close_loops(graph, one) for one in q])
