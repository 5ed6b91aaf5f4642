"""The dependent coordinates by the paper's circles: section 3.2 and Figure 3, in plain numbers.

C is where the circles about B and D meet, C1 and C2; F where those about E and O2 meet, C3 and C4. The gears
and the forearm's slider-crank determine the rest. Points are complex numbers in the axes of body 3, whose
origin is O2 and whose x axis points to O4. This uses neither the library nor the symbolic methods.
"""

from dataclasses import dataclass

import numpy as np

from urdf.generators.exoskeleton import Parameters


@dataclass(frozen=True)
class Circle:
    """A circle about a named point [m]."""

    name: str
    centre: str
    at: complex
    radius: float


@dataclass(frozen=True)
class Sketch:
    """The mechanism in its plane: points [m] by name, circles C1 to C4, passive coordinates [rad, m]."""

    points: dict[str, complex]
    circles: tuple[Circle, ...]
    coordinates: dict[str, float]


def sketch(p: Parameters, rho_4: float, rho_5: float) -> Sketch:
    """Return points, circles and the eight dependent coordinates.

    C' and F' are the second intersections, of other assembly modes: the rods of this one are behind.

    Raises ValueError: two circles do not meet.
    """
    at: dict[str, complex] = {"O2": 0j, "D": complex(p.L9), "O4": complex(p.L4)}
    eta_5, rho_6 = rho_4, rho_5 - rho_4 + p.eta_8  # rolling gears
    at["O5"] = at["O4"] + 2.0 * p.L5 * _unit(rho_4)
    at["O6"] = at["O5"] + 2.0 * p.L6 * _unit(rho_4 + rho_5)
    angle_13 = rho_4 + eta_5 + p.eta_6 - np.pi
    at["B"] = at["O5"] + p.L11 * _unit(angle_13)
    lower = Circle("C1", "B", at["B"], p.L15), Circle("C2", "D", at["D"], p.L10)
    at["C"], at["C′"] = _intersections(*lower)
    theta_10 = float(np.angle(at["C"] - at["D"]))
    theta_11 = float(np.angle(at["B"] - at["C"])) - theta_10 - np.pi
    at["E"] = at["D"] + p.L12 * _unit(theta_10 + p.eta_12)
    upper = Circle("C3", "E", at["E"], p.L14), Circle("C4", "O2", at["O2"], p.L8)
    at["F"], at["F′"] = _intersections(*upper)
    angle_8 = float(np.angle(-at["F"]))
    at["A"] = at["O6"] + p.L13 * _unit(rho_4 + rho_5 + rho_6 - p.eta_13)
    slide = at["A"] - at["B"]
    coordinates = {
        "rho_3": p.eta_1 + 0.5 * np.pi - angle_8, "rho_6": rho_6, "theta_9": _angle(at, "F", "E") - angle_8,
        "theta_10": theta_10, "theta_11": theta_11, "theta_12": eta_5,
        "theta_14": float(np.angle(slide)) - angle_13 - np.pi, "L_s": abs(slide),
    }  # fmt: skip
    return Sketch(at, lower + upper, {name: float(value) for name, value in coordinates.items()})


def _unit(angle: float) -> complex:
    return complex(np.exp(1j * angle))


def _angle(at: dict[str, complex], first: str, second: str) -> float:
    return float(np.angle(at[second] - at[first]))


def _intersections(first: Circle, second: Circle) -> tuple[complex, complex]:
    """Return the points where two circles meet: left, then right of the way from first to second centre."""
    between = second.at - first.at
    distance = abs(between)
    along = (distance**2 + first.radius**2 - second.radius**2) / (2.0 * distance)
    squared = first.radius**2 - along**2
    if squared < 0.0:
        raise ValueError(
            f"circles {first.name} about {first.centre} and {second.name} about {second.centre} do not meet: "
            f"the radii are {first.radius:.6g} and {second.radius:.6g} m, the centres {distance:.6g} m apart"
        )
    middle, aside = first.at + along * between / distance, 1j * np.sqrt(squared) * between / distance
    return middle + aside, middle - aside
