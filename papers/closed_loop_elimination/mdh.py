"""Figure 2's table of modified Denavit-Hartenberg rows, its frames, and the loops' chains (12) to (14).

A row's frame on its predecessor a: Rz(gamma) Tz(epsilon) Rx(alpha) Tx(d) Rz(theta) Tz(r). The rows are those
of the generator of urdf/exoskeleton.urdf, evaluated with symbols for the text and with numbers for frames;
frames here come from the rows alone, not from the URDF.
"""

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, NamedTuple

import numpy as np
import sympy

from papers.closed_loop_elimination.exoskeleton import Array
from urdf.generators.exoskeleton import GEARS, JOINTS, Parameters, Row, bodies, cuts


class Line(NamedTuple):
    """A row of the printed table: its entries of the columns in this order, as text."""

    a: str
    mu: str
    sigma: str
    gamma: str
    epsilon: str
    alpha: str
    d: str
    theta: str
    r: str
    origin: str


#: As printed, 18 and 21 with their slips.
_PRINTED = """\
0  1 0 0            0 0     0    rho1-pi/2   L1  O1
1  1 0 0            0 -pi/2 0    rho2+pi/2   L2  O2
2  0 0 0            0 pi/2  0    rho3        L3  O2
3  1 0 0            0 0     L4   rho4        0   O4
4  1 0 0            0 0     2*L5 rho5        0   O5
5  0 0 0            0 0     2*L6 rho6+pi/2   0   O6
6  1 0 0            0 pi/2  0    rho7        L7  O7
2  0 2 0            0 pi/2  0    eta1+pi/2   L3  O2
8  0 0 0            0 0     -L8  -eta2       0   F
3  0 0 0            0 0     L9   -eta3       0   D
10 0 0 0            0 0     L10  pi-eta4     0   C
4  0 0 0            0 0     2*L5 eta5-pi/2   0   O5
12 0 2 0            0 0     0    eta6-pi/2   0   O5
13 0 0 0            0 0     L11  3*pi/2-eta7 0   B
14 0 1 0            0 pi/2  0    0           Ls  A
10 0 0 eta12        0 0     L12  *           0   E
13 0 0 0            0 0     L11  *           0   B
6  0 0 -eta13prime  0 0     L13  *           0   A
9  0 2 0            0 0     L14  0           0   E
11 0 2 0            0 0     L15  0           0   B
15 0 2 -pi/2        0 0     0    0           0   A
"""
#: Rows in which the table differs from the paper's public files: misprints.md.
MISPRINTED = 18, 21
#: Variables of the rows that have one, as the paper names them.
_VARIABLES = {9: "-eta2", 10: "-eta3", 11: "-eta4", 12: "eta5", 14: "-eta7", 15: "Ls"}
#: Rows of each cut joint's two frames, and the chains of (12), (13) and (14), which they close.
CUT_ROWS = {"B": (17, 20), "E": (16, 19), "A": (18, 21)}


def printed() -> list[Line]:
    """Return the paper's rows 1 to 21, in the notation of `ours`."""
    return [_line(words[:-1], words[-1]) for words in map(str.split, _PRINTED.splitlines())]


def ours() -> list[Line]:
    """Return the rows 1 to 21 of which the URDF is made."""
    symbols = {one.name: sympy.Symbol(one.name.replace("_", "")) for one in fields(Parameters)}
    origins = [line.origin for line in printed()]  # names of points, nothing to compute
    lines = []
    for i, row in rows(Parameters(**symbols)).items():
        joint, cut = JOINTS.get(i), i in {16, 17, 18}
        prismatic, active = i == 15, joint is not None and joint.effort is not None
        variable = sympy.Integer(0)
        if joint is not None:
            variable = sympy.sympify(_VARIABLES.get(i, joint.name.replace("_", "")))
        theta, r = (row.theta, variable) if prismatic else (row.theta + variable, row.r)
        sigma = 1 if prismatic else 0 if cut or joint is not None else 2
        entries = [predecessor(row), int(active), sigma, row.gamma, 0, row.alpha, row.d]
        lines.append(_line([*entries, "*" if cut else theta, r], origins[i - 1]))
    return lines


def rows(p: Parameters) -> dict[int, Row]:
    """Return the table's 21 rows."""
    table = bodies(p)
    for name, ends in cuts(p).items():
        table |= dict(zip(CUT_ROWS[name], ends, strict=True))
    return dict(sorted(table.items()))


def predecessor(row: Row) -> int:
    """Return the number of the frame on which a row stands; 0: the base."""
    return 0 if row.parent == "base" else int(row.parent.removeprefix("body_"))


def _line(entries: Sequence[Any], origin: str) -> Line:
    """Write the entries in one notation: sums in SymPy's order, multiples of pi exact."""
    texts = []
    for entry in entries:
        exact = entry
        if entry != "*":
            exact = sympy.sympify(entry).replace(lambda x: x.is_Float, _in_pi)
        texts.append(str(exact).replace(" ", "").replace("prime", "′"))
    return Line(*(text.replace("eta", "η").replace("rho", "ρ").replace("pi", "π") for text in texts), origin)


def _in_pi(number: sympy.Float) -> sympy.Expr:
    return sympy.nsimplify(number, [sympy.pi], tolerance=1e-12)


def frames(p: Parameters, coordinates: dict[str, float]) -> dict[int, Array]:
    """Return frames 0 to 21 (4, 4) in the base, at coordinates [rad, m] of all joints by name."""
    found = {0: np.eye(4)}
    for i, row in rows(p).items():
        q = coordinates[JOINTS[i].name] if i in JOINTS else 0.0
        theta, r = (row.theta, row.r + q) if i == 15 else (row.theta + q, row.r)
        local = _screw(2, row.gamma, 0.0) @ _screw(0, row.alpha, row.d) @ _screw(2, theta, r)
        found[i] = found[predecessor(row)] @ local
    return found


def constraints(p: Parameters, coordinates: dict[str, float]) -> dict[str, Array]:
    """Return the eight implicit constraints h (section 3.4): (12), (13), (14) [m], and the gears [rad]."""
    at = frames(p, coordinates)
    found = {}
    for number, common, name in (("(12)", 3, "B"), ("(13)", 2, "E"), ("(14)", 4, "A")):
        first, second = CUT_ROWS[name]
        back = at[common][:3, :3].T
        found[f"{number} at {name}"] = back @ (at[second] - at[first])[:3, 3]
    for joint, drivers in GEARS.items():
        offset = p.eta_8 if joint == "rho_6" else 0.0
        driven = sum(ratio * coordinates[driver] for driver, ratio in drivers.items()) + offset
        found[f"gear of {joint}"] = np.array([driven - coordinates[joint]])
    return found


def _screw(axis: int, angle: float, shift: float) -> Array:
    """Return the rotation about a coordinate axis and the shift along it (4, 4)."""
    c, s = np.cos(angle), np.sin(angle)
    i, k = (axis + 1) % 3, (axis + 2) % 3
    T = np.eye(4)
    T[i, i], T[i, k], T[k, i], T[k, k], T[axis, 3] = c, -s, s, c, shift
    return T
