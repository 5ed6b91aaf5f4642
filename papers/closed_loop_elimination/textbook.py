"""The same three methods without regrouping: why our ranking for M1 is the reverse of the paper's.

Energies of the table's 15 bodies, each with its ten inertial parameters, by twists in the bodies' own frames;
no inertia is moved to another body and no plane is used. Explicit dependent angles and W are those of
`Method`. M1 by TE and DE is the second derivative of the kinetic energy by the independent rates; IC counts
W and the open tree's M, as the paper does.
"""

from dataclasses import fields
from typing import Any

import numpy as np
from lxml import etree

from papers.closed_loop_elimination.counting import Count, count, lower
from papers.closed_loop_elimination.exoskeleton import Array
from papers.closed_loop_elimination.mdh import predecessor
from papers.closed_loop_elimination.methods import Method
from urdf.generators.exoskeleton import JOINTS, Parameters, Row, bodies

#: Row with the prismatic joint.
SLIDE = 15


class Textbook:
    """Mass matrix and gravity of the exoskeleton by one method.

    Args:
        method: of METHODS, with named constants (see NamedConstants).
    """

    def __init__(self, method: Method) -> None:
        self.method, self.ca, orientations = method, method.ca, method.orientations
        symbols = {name: pair[0] for name, pair in method.constants.parameters.items()}
        symbols |= {name: 0.5 * symbols[f"2{name}"] for name in ("L5", "L6")}
        rows = bodies(Parameters(**{one.name: symbols[one.name] for one in fields(Parameters)}))
        self.predecessors = {i: predecessor(row) for i, row in rows.items()}
        self.inertias = {i: self.ca.SX.sym(f"body_{i}", 10) for i in rows}
        self.joints = {i: method.graph.joint_names.index(joint.name) for i, joint in JOINTS.items()}
        # cosine and sine of each revolute joint's angle, known from the loops or from its coordinate
        units = {}
        for k, body in enumerate(orientations.bodies):
            c, s = orientations.unit_vector(orientations.rotations[k])
            units[body.name] = c, body.sign * s
        angles = {i: units[joint.name] for i, joint in JOINTS.items() if i != SLIDE}
        slides = {SLIDE: orientations.coordinates[JOINTS[SLIDE].name]}
        self.steps = {
            i: self._step(row, angles.get(i, (1.0, 0.0)), row.r + slides.get(i, 0.0))
            for i, row in rows.items()
        }

    def _step(self, row: Row, unit: tuple[Any, Any], r: Any) -> tuple[Any, Any]:
        """Return rotation (3, 3) and position (3,) of a body's frame in its predecessor's."""
        ca, (a, b) = self.ca, self._unit(row.theta)
        c, s = unit[0] * a - unit[1] * b, unit[1] * a + unit[0] * b
        along, across = self._unit(row.alpha)
        lines = (c, -s, 0.0), (along * s, along * c, -across), (across * s, across * c, along)
        R = ca.vertcat(*(ca.horzcat(*line) for line in lines))
        return R, ca.vertcat(row.d, -across * r, along * r)

    def _unit(self, angle: Any) -> tuple[Any, Any]:
        """Return cosine and sine, exact for multiples of a right angle."""
        if isinstance(angle, self.ca.SX):
            return self.ca.cos(angle), self.ca.sin(angle)
        return round(np.cos(angle)), round(np.sin(angle))

    def mass_matrix(self, rates: Any) -> Any:
        """Return the sum over bodies of J^T M J, for ``rates`` (13, n) of all joints by n others."""
        ca, n = self.ca, rates.shape[1]
        omega, v, total = {0: ca.SX(3, n)}, {0: ca.SX(3, n)}, ca.SX(n, n)
        for i, (R, r) in self.steps.items():
            before = self.predecessors[i]
            omega[i] = R.T @ omega[before]
            v[i] = R.T @ (v[before] - ca.skew(r) @ omega[before])
            if i in self.joints:
                moved = v if i == SLIDE else omega
                moved[i] = moved[i] + ca.vertcat(ca.SX(2, n), rates[self.joints[i], :])
            m, h, inertia = self._inertia(i)
            momentum = m * v[i] - ca.skew(h) @ omega[i]
            total += v[i].T @ momentum + omega[i].T @ (inertia @ omega[i] + ca.skew(h) @ v[i])
        return total

    def gravity_torque(self) -> Any:
        """Return the gradient of the potential by the method's coordinates."""
        ca, gravity, work = self.ca, {0: self.ca.vertcat(*self.method.gravity)}, {0: self.ca.SX(1, 1)}
        potential = ca.SX(1, 1)
        for i, (R, r) in self.steps.items():
            before = self.predecessors[i]
            gravity[i], work[i] = R.T @ gravity[before], work[before] + ca.dot(gravity[before], r)
            m, h, _ = self._inertia(i)
            potential -= m * work[i] + ca.dot(gravity[i], h)
        return ca.gradient(potential, self.method.inputs[0])

    def _inertia(self, i: int) -> tuple[Any, Any, Any]:
        ca, x = self.ca, self.inertias[i]
        lines = (4, 5, 6), (5, 7, 8), (6, 8, 9)
        return x[0], x[1:4], ca.vertcat(*(ca.horzcat(*(x[k] for k in line)) for line in lines))

    @property
    def inputs(self) -> list[Any]:
        """Columns: those of the method, then the inertial parameters of 15 bodies."""
        return [*self.method.inputs, self.ca.vertcat(*self.inertias.values())]

    def count(self, *terms: Any) -> Count:
        """Return the operations of terms together; of square ones, which are symmetric, half."""
        parts = [self.ca.vec(term) if term.shape[0] != term.shape[1] else lower(term) for term in terms]
        return count(self.ca.vertcat(*parts), self.inputs)


def inertial_parameters(urdf: str) -> Array:
    """Return [m, m c, Ixx, Ixy, Ixz, Iyy, Iyz, Izz] (150,) of body_1 ... body_15 about their origins."""
    found = []
    for link in etree.fromstring(urdf.encode()).iter("link"):
        inertial = link.find("inertial")
        if inertial is None:
            continue
        c = np.array([float(x) for x in inertial.find("origin").get("xyz").split()])
        m, given = float(inertial.find("mass").get("value")), inertial.find("inertia")
        entries = [float(given.get(key)) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")]
        about = m * (c @ c * np.eye(3) - np.outer(c, c))
        found += [m, *(m * c), *(entries + about[np.triu_indices(3)])]
    return np.array(found)
