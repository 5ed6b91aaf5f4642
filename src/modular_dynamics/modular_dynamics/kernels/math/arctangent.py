"""Angles of vectors, many at once, by a rational function.

With t the smaller over the larger of |x| and |y|, the angle is atan t, or pi / 4 + atan((t - 1) / (t + 1))
where t is large, and the octant adds the rest. atan is the rational function of the Cephes library for
|t| <= 0.66, good to half a unit in the last place; the whole to two.
"""

import math

from ..numba_support.compilation import inlined
from ..numba_support.lane_functions import absolute, chosen

__all__ = ["arctangent"]

#: Above, the angle is taken from pi / 4 on.
LARGE = 0.66


@inlined
def arctangent(y, x):
    """The angle of (x, y) in [-pi, pi], of floats or of lanes; finite, below 1e150 and not both below 1e-150.

    0 of (0, 0). A zero has no sign: y = 0 and x < 0 give pi.
    """
    height, width = absolute(y), absolute(x)
    steep = height - width
    large, small = chosen(steep, height, width), chosen(steep, width, height)
    diagonal = small - LARGE * large
    numerator, denominator = chosen(diagonal, small - large, small), chosen(diagonal, small + large, large)
    base = chosen(diagonal, 0.25 * math.pi, 0.0 * y)
    t = numerator / (denominator + chosen(denominator, 0.0, 1.0))
    z = t * t
    above = -6.485021904942025371773e1 + z * (
        -1.228866684490136173410e2
        + z * (-7.500855792314704667340e1
        + z * (-1.615753718733365076637e1 - z * 8.750608600031904122785e-1))
    )  # fmt: skip
    below = 1.945506571482613964425e2 + z * (
        4.853903996359136964868e2
        + z * (4.328810604912902668951e2
        + z * (1.650270098316988542046e2 + z * (2.485846490142306297962e1 + z)))
    )  # fmt: skip
    angle = base + (t + t * (z * (above / below)))
    angle = chosen(steep, 0.5 * math.pi - angle, angle)
    angle = chosen(-x, math.pi - angle, angle)
    return chosen(-y, -angle, angle)
