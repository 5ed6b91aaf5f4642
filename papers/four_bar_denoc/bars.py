"""The four-bar from lengths, masses and widths: as DeNOC's links, as URDF, and by energies."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from modular_dynamics.exceptions import ModelError
from papers.four_bar_denoc.denoc import FourBar, Link

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Bar:
    """A flat bar: length [m] from joint to joint, mass [kg], width [m] in the plane of the mechanism.

    Raises:
        ModelError: a length or a mass that is not positive, a negative width.
    """

    length: float
    mass: float
    width: float = 0.0

    def __post_init__(self) -> None:
        if not (0.0 < self.length < np.inf and 0.0 < self.mass < np.inf and 0.0 <= self.width < np.inf):
            raise ModelError(f"{self}: length and mass must be positive, the width not negative")

    @property
    def link(self) -> Link:
        """Centre in the middle, I = m (l^2 + w^2) / 12."""
        inertia = self.mass * (self.length**2 + self.width**2) / 12.0
        return Link(self.length, self.mass, 0.5 * self.length, inertia)


@dataclass(frozen=True)
class Bars:
    """Crank #2, coupler #3, output #4, and the ground's length [m], from J1 to J4.

    By default the laboratory's public example: ``Bars(coupler=Bar(0.11, 2.0))`` changes one bar of it.
    """

    crank: Bar = Bar(0.05, 1.5)
    coupler: Bar = Bar(0.10, 3.0)
    output: Bar = Bar(0.13, 5.0)
    ground: float = 0.15

    def with_coupler(self, mass: float) -> "Bars":
        """Return the mechanism with another mass [kg] of its coupler."""
        return replace(self, coupler=replace(self.coupler, mass=mass))

    def with_lengths(self, crank: float, coupler: float, output: float, ground: float) -> "Bars":
        """Return the mechanism with other lengths [m]; masses and widths stay.

        Raises:
            ModelError: its crank cannot turn around, since the loop opens at some angle.
        """
        bars = (self.crank, crank), (self.coupler, coupler), (self.output, output)
        made = Bars(*(replace(bar, length=length) for bar, length in bars), ground)
        least, most = abs(ground - crank), ground + crank  # of the distance from the crank's tip to J4
        if not (0.0 < ground < np.inf and abs(coupler - output) < least and most < coupler + output):
            raise ModelError(
                f"crank {crank:g}, coupler {coupler:g}, output {output:g}, ground {ground:g} m do not let the"
                " crank turn around: |coupler - output| < |ground - crank| and ground + crank < coupler +"
                " output are needed"
            )
        return made

    def denoc(self, gravity: float = 9.81) -> FourBar:
        """Return the mechanism as the paper's two subsystems."""
        return FourBar(self.crank.link, self.coupler.link, self.output.link, self.ground, gravity)

    def urdf(self) -> str:
        """Return the mechanism as URDF, cut at J2, its plane upright; joints as in urdf/four_bar.urdf."""
        upright = f'rpy="{np.pi / 2!r} 0 0"'
        bars = {"crank": self.crank, "coupler": self.coupler, "output": self.output}
        links = "".join(_link(name, bar) for name, bar in bars.items())
        joints = (
            ("J1", "continuous", "ground", "crank", f'xyz="0 0 0" {upright}'),
            ("J4", "continuous", "ground", "output", f'xyz="{self.ground!r} 0 0" {upright}'),
            ("J3", "revolute", "output", "coupler", f'xyz="{self.output.length!r} 0 0"'),
        )
        # J3 between 0 and pi: the loop is open, not crossed
        limit = {
            "continuous": "",
            "revolute": f'<limit lower="0" upper="{np.pi!r}" effort="0" velocity="0"/>',
        }
        tree = "".join(
            f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin {origin}/><axis xyz="0 0 1"/>{limit[kind]}</joint>'
            for name, kind, parent, child, origin in joints
        )
        return (
            f'<robot name="four_bar"><link name="ground"/>{links}{tree}<modular_dynamics version="1">'
            '<subsystem name="subsystem_I"><joint name="J1"/></subsystem>'
            '<subsystem name="subsystem_II"><joint name="J4"/><joint name="J3"/></subsystem>'
            '<loop_joint name="J2" type="revolute">'
            f'<predecessor link="crank" xyz="{self.crank.length!r} 0 0"/>'
            f'<successor link="coupler" xyz="{self.coupler.length!r} 0 0"/><axis xyz="0 0 1"/></loop_joint>'
            '<passive joint="J4"/><passive joint="J3"/></modular_dynamics></robot>'
        )


def _link(name: str, bar: Bar) -> str:
    link = bar.link
    inertia = " ".join(f'{axis}="{value!r}"' for axis, value in zip(
        ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"),
        (link.inertia * 1e-2, link.inertia, link.inertia, 0.0, 0.0, 0.0), strict=True))  # fmt: skip
    return (
        f'<link name="{name}"><inertial><origin xyz="{link.centre!r} 0 0"/><mass value="{bar.mass!r}"/>'
        f"<inertia {inertia}/></inertial></link>"
    )


def by_energy(bars: Bars, theta: float, gravity: float = 9.81) -> tuple[float, float, float]:
    """Return inertia I(theta), half its derivative, and the torque of gravity, all seen from the crank.

    With T = I(theta) theta'^2 / 2 and V(theta), Lagrange's equation of the one freedom is
    I theta'' + (dI/dtheta) theta'^2 / 2 + dV/dtheta = tau: no loop is cut, no multiplier is needed. Points
    are complex numbers, their derivatives with respect to theta come from the vector loop.
    """
    l2, l3, l4 = bars.crank.length, bars.coupler.length, bars.output.length
    # the vector loop l2 e^(i t2) + l3 e^(i t3) = l1 + l4 e^(i t4), t3 and t4 from the ground
    tip = l2 * np.exp(1j * theta) - bars.ground
    reach = abs(tip)
    t4 = np.angle(tip) - np.arccos((reach**2 + l4**2 - l3**2) / (2.0 * reach * l4))
    t3 = np.angle(bars.ground + l4 * np.exp(1j * t4) - l2 * np.exp(1j * theta))
    e2, e3, e4 = np.exp(1j * np.array([theta, t3, t4]))
    # first and second derivatives of t3 and t4: i l3 e3 t3' - i l4 e4 t4' = -i l2 e2, and once more
    A = np.array([[(l3 * e3).real, -(l4 * e4).real], [(l3 * e3).imag, -(l4 * e4).imag]])
    first = np.linalg.solve(A, [-(l2 * e2).real, -(l2 * e2).imag])
    # d/dt2: i (l3 e3 t3'' - l4 e4 t4'') = l2 e2 + l3 e3 t3'^2 - l4 e4 t4'^2
    right = -1j * (l2 * e2 + l3 * e3 * first[0] ** 2 - l4 * e4 * first[1] ** 2)
    second = np.linalg.solve(A, [right.real, right.imag])
    inertia = half_slope = weight = 0.0
    rates = {"crank": (1.0, 0.0), "coupler": (first[0], second[0]), "output": (first[1], second[1])}
    centres = {
        "crank": (0.5j * l2 * e2, -0.5 * l2 * e2),
        "coupler": (
            1j * l2 * e2 + 0.5j * l3 * e3 * first[0],
            -l2 * e2 - 0.5 * l3 * e3 * first[0] ** 2 + 0.5j * l3 * e3 * second[0],
        ),
        "output": (
            0.5j * l4 * e4 * first[1],
            -0.5 * l4 * e4 * first[1] ** 2 + 0.5j * l4 * e4 * second[1],
        ),
    }
    for name, (turn, turn_slope) in rates.items():
        bar: Bar = getattr(bars, name)
        centre, centre_slope = centres[name]
        inertia += bar.link.inertia * turn**2 + bar.mass * abs(centre) ** 2
        half_slope += bar.link.inertia * turn * turn_slope
        half_slope += bar.mass * (centre.conjugate() * centre_slope).real
        weight += bar.mass * gravity * centre.imag
    return float(inertia), float(half_slope), float(weight)
