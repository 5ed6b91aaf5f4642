"""The organism of nine Backbones of Meister & Gutenkunst: Figs. 4 and 5, Table III."""

import numpy as np

from papers.modular_robots.organism import organism

__all__ = ["DIRECT", "DOCKING_TYPES", "FACES", "INDIRECT", "organism"]

DOCKING_TYPES = ("DO", "DO", "DS", "DP", "DS", "DS", "DO", "DO")
#: Table III, left: i, j, from, to.
DIRECT = (
    (0, 1, 3, 2),
    (1, 2, 5, 3),
    (0, 3, 5, 2),
    (3, 4, 4, 3),
    (4, 5, 5, 2),
    (0, 6, 2, 5),
    (6, 7, 4, 2),
    (7, 8, 4, 5),
)
_faces = np.zeros((9, 8), int)
for _k, (_a, _b, _port, _other) in enumerate(DIRECT):
    _faces[[_a, _b], _k] = _port, _other
#: Fig. 5, with the columns e1 and e2 as Table III has them: as printed both would be DP, not DO.
FACES = tuple(map(tuple, _faces.tolist()))
#: Table III, right: T_ij = T_ix T_xj.
INDIRECT = (
    ((0, 2), (0, 1), (1, 2)),
    ((0, 4), (0, 3), (3, 4)),
    ((3, 5), (3, 4), (4, 5)),
    ((0, 5), (0, 4), (4, 5)),
    ((0, 7), (0, 6), (6, 7)),
    ((6, 8), (6, 7), (7, 8)),
    ((0, 8), (0, 7), (7, 8)),
)
