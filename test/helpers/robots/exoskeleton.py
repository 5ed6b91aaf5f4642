"""The exoskeleton's reference case, with synthetic masses and inertias.

exoskeleton_reference_case.json was evaluated from the generated functions of
SchapplM/robsynth-paper_iftommwc2019_dynamics_hybridrobots (MIT licence).
"""

import json
from pathlib import Path

import numpy as np

REFERENCE = json.loads(Path(__file__).with_name("exoskeleton_reference_case.json").read_text())
(CASE,) = REFERENCE["cases"]


def reference_inertias():
    """Its table of inertias, as the generator of the robot reads them."""
    shape = np.array([[1.0, 0.1, -0.05], [0.1, 1.2, 0.08], [-0.05, 0.08, 1.5]])[np.triu_indices(3)]
    return {
        f"body_{i}": {
            "mass": 0.3 + 0.1 * i,
            "com": [0.01 * i, 0.02, -0.005 * i],
            "inertia": (1e-3 * i * shape).tolist(),
        }
        for i in range(1, 16)
    }
