"""Rules that share reactions as the core reads them (include/modular_dynamics/loops/reactions.hpp)."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from modular_dynamics import _core
from modular_dynamics.kernels.reactions.sharing import Balances, Components, RequiredWrenches

__all__ = ["core_reactions"]


def core_reactions(
    components: Components, balances: Balances, required: RequiredWrenches, links: int
) -> _core.Reactions:
    """Return rules that share reactions, on a robot with so many links."""
    return _core.Reactions(
        links=_integers([links]),
        body_links=_integers(components.body_links),
        required_links=_integers(required.links),
        axes_links=_integers(components.axis_links),
        point_links=np.ascontiguousarray(components.point_links, np.int64),
        points=np.ascontiguousarray(components.positions, np.float64),
        component_joint=_integers(components.joints),
        component_axis=_integers(components.axes),
        component_moment=_integers(components.moments),
        component_along=np.array(components.along, np.float64),
        balance_body=_integers(balances.bodies),
        balance_frame=_integers(balances.frames),
        balance_axis=_integers(balances.axes),
        balance_about=_integers(balances.about),
        balance_moment=_integers(balances.moments),
        signs=np.ascontiguousarray(components.signs, np.float64),
        weights=np.ascontiguousarray(np.transpose(balances.weights), np.float64),
        later=np.ascontiguousarray(balances.later, np.float64),
        required_signs=np.ascontiguousarray(required.signs, np.float64),
    )


def _integers(values: Iterable[int]) -> NDArray[np.int64]:
    return np.array(list(values), np.int64)
