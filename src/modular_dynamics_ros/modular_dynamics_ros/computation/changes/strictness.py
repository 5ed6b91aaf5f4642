"""What `strict` refuses of changes: inertias that no body can have, as in descriptions."""

from collections.abc import Iterator, Sequence

import numpy as np

import modular_dynamics as md
from modular_dynamics.urdf.checks.robot import SIX_DIGITS
from modular_dynamics_ros.computation.changes.change import Change
from modular_dynamics_ros.computation.changes.numbers import MOMENTS, Numbers, body_of
from modular_dynamics_ros.computation.changes.payload import Payload
from modular_dynamics_ros.exceptions import NumbersError

__all__ = ["require_possible"]


def require_possible(change: Change, graph: md.SubsystemGraph) -> None:
    """Look at the inertias that a change gives; those of an attached robot are looked at where it is read.

    Args:
        graph: with the change. Negative moments it has refused.

    Raises:
        NumbersError: one breaks the triangle inequality by more than the rounding that `load_urdf` accepts.
    """
    for what, (xx, xy, xz, yy, yz, zz) in _inertias(change, graph):
        moments = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        if moments[2] > moments[0] + moments[1] + SIX_DIGITS * moments[2]:
            shown = ", ".join(f"{moment:.6g}" for moment in moments)
            raise NumbersError(
                f"strict: the inertia of {what} breaks the triangle inequality (principal moments {shown} "
                "kg m^2: the largest exceeds the sum of the others); no rigid body has such an inertia"
            )


def _inertias(change: Change, graph: md.SubsystemGraph) -> Iterator[tuple[str, Sequence[float]]]:
    """Yield the name of each link or load, as messages show it, and its six moments."""
    if isinstance(change, Payload):
        yield f"the payload on link '{change.link}'", change.inertia
    elif isinstance(change, Numbers):
        bodies = dict.fromkeys(body for name in change.values if (body := body_of(name, MOMENTS)))
        known = graph.parameters if bodies else {}
        for body in bodies:
            names = [f"{body} {moment}" for moment in MOMENTS]
            if names[0] in known:  # a load of zero mass does not exist
                word, _, link = body.partition(" ")
                what = f"link '{link}'" if word == "link" else f"the payload on link '{link}'"
                yield what, [known[name].value for name in names]
