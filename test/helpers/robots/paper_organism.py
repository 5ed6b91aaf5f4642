"""The organism of nine Backbones of Meister & Gutenkunst: Figs. 4 and 5, Table III."""

import numpy as np

from papers.modular_robots.organism import DIRECT, DOCKING_TYPES, INDIRECT, organism

__all__ = ["DIRECT", "DOCKING_TYPES", "FACES", "INDIRECT", "organism"]

_faces = np.zeros((9, 8), int)
for _k, (_a, _b, _port, _other) in enumerate(DIRECT):
    _faces[[_a, _b], _k] = _port, _other
#: Fig. 5, with the columns e1 and e2 as Table III has them: as printed both would be DP, not DO.
FACES = tuple(map(tuple, _faces.tolist()))
