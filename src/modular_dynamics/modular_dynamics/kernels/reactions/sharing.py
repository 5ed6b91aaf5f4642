"""The reactions of one state by rules: what each body requires, then one balance after another.

The equations are those of closure/reactions/sharing.py. All vectors are in the axes of the root link.
Sizes: l links, b bodies, j joints and n components of the rules, r balances, w wrenches that bodies require.
"""

from typing import NamedTuple

from numpy import float64, int64
from numpy.typing import NDArray

from ..math.homogeneous import axis_of, origin_of, place, rotation_of, set_row3
from ..math.vectors import cross, dot, minus, plus, plus_scaled, scaled, times, transposed_times
from ..numba_support.compilation import inlined, kernel
from ..numba_support.neighbours import row3

__all__ = ["NO_PART", "SHARED", "Balances", "Components", "RequiredWrenches", "SharedArrays", "share"]

#: Coefficient [1 or m] below which a component has no part in a balance: rounding.
NO_PART = 1e-9
#: What the kernel returns where every balance gives its components.
SHARED = 0


class Components(NamedTuple):
    """The joints of the rules and their components.

    Attributes:
        body_links (b,), axis_links (j,): links of the bodies, and those whose axes the components have.
        point_links (j, 2), positions (j, 2, 3): the joints' points ``from`` and ``at``, in links' frames.
        joints (n,): of each component its joint.
        axes (n,): 0, 1, 2 for x, y, z; -1 along the line from ``from`` to ``at``.
        moments (n,): 1 where it is a moment. along (n,): 1, or -1 for a pull.
        signs (b, n): s_bk.
    """

    body_links: NDArray[int64]
    axis_links: NDArray[int64]
    point_links: NDArray[int64]
    positions: NDArray[float64]
    joints: NDArray[int64]
    axes: NDArray[int64]
    moments: NDArray[int64]
    along: NDArray[float64]
    signs: NDArray[float64]


class Balances(NamedTuple):
    """The balances in order.

    Attributes:
        bodies, frames, axes, about (r,): the body; the joint whose axis it is along; that axis; the joint
            about whose point moments are summed.
        moments (r,): 1 where moments are summed.
        weights (n, r): S. later (r, n): 1 where a component must have no part in it.
    """

    bodies: NDArray[int64]
    frames: NDArray[int64]
    axes: NDArray[int64]
    about: NDArray[int64]
    moments: NDArray[int64]
    weights: NDArray[float64]
    later: NDArray[int64]


class RequiredWrenches(NamedTuple):
    """Wrenches at and in the frames of links, whose sums the bodies require: those of D_b.

    Attributes:
        wrenches (w, 6): [force, moment]. links (w,). signs (b, w).
    """

    wrenches: NDArray[float64]
    links: NDArray[int64]
    signs: NDArray[float64]


class SharedArrays(NamedTuple):
    """What the kernel writes.

    Attributes:
        components (n,): x; known forces stand in it before, and zeros.
        wrenches (j, 6): [force, moment] of ``by`` on ``on`` at ``at``, along the joint's axes.
        points (j, 2, 3): ``from`` and ``at``.
        residual (b, 6): D_b - E_b x, at the body's origin in its axes.
        directions (n, 3): of the components. required (b, 6): D_b in the root link's axes.
    """

    components: NDArray[float64]
    wrenches: NDArray[float64]
    points: NDArray[float64]
    residual: NDArray[float64]
    directions: NDArray[float64]
    required: NDArray[float64]


@inlined
def _at(points, joint):
    return points[joint, 1, 0], points[joint, 1, 1], points[joint, 1, 2]


@inlined
def _place_points(components, poses, points):
    links, positions = components.point_links, components.positions
    for joint in range(links.shape[0]):
        for end in range(2):
            link = links[joint, end]
            arm = positions[joint, end, 0], positions[joint, end, 1], positions[joint, end, 2]
            point = place(poses, link, arm)
            points[joint, end, 0], points[joint, end, 1], points[joint, end, 2] = point


@inlined
def _point_directions(components, poses, points, directions):
    """The unit vectors of all components; whether each line has a length."""
    for k in range(directions.shape[0]):
        joint, axis = components.joints[k], components.axes[k]
        if axis >= 0:
            direction = axis_of(poses, components.axis_links[joint], axis)
        else:
            line = minus(_at(points, joint), (points[joint, 0, 0], points[joint, 0, 1], points[joint, 0, 2]))
            length = dot(line, line) ** 0.5
            if not length > 0.0:
                return False
            direction = scaled(components.along[k] / length, line)
        set_row3(directions, k, 0, direction)
    return True


@inlined
def _sum_required(components, poses, of, required):
    """D_b of all bodies, about their origins."""
    for body in range(required.shape[0]):
        origin = origin_of(poses, components.body_links[body])
        force, moment = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for k in range(of.wrenches.shape[0]):
            sign = of.signs[body, k]
            if sign == 0.0:
                continue
            R = rotation_of(poses, of.links[k])
            part, turn = times(R, row3(of.wrenches, k, 0)), times(R, row3(of.wrenches, k, 3))
            arm = minus(origin_of(poses, of.links[k]), origin)
            force = plus_scaled(force, sign, part)
            moment = plus_scaled(moment, sign, plus(turn, cross(arm, part)))
        set_row3(required, body, 0, force)
        set_row3(required, body, 3, moment)


@inlined
def _part(components, directions, points, k, unit, about, is_moment):
    """The coefficient of component k in a balance along a unit vector, without its sign."""
    direction = row3(directions, k, 0)
    if is_moment == components.moments[k]:
        return dot(unit, direction)  # a force in a sum of forces, or a moment in one of moments
    if is_moment == 0:
        return 0.0
    return dot(unit, cross(minus(_at(points, components.joints[k]), about), direction))


@inlined
def _solve_balances(components, balances, poses, out):
    """Write the components one balance after another; the number of the first one that cannot, from 1."""
    x, directions, points = out.components, out.directions, out.points
    for row in range(balances.bodies.shape[0]):
        body, is_moment, frame = balances.bodies[row], balances.moments[row], balances.frames[row]
        unit = axis_of(poses, components.axis_links[frame], balances.axes[row])
        about = _at(points, balances.about[row])
        needed = dot(unit, row3(out.required, body, 0))
        if is_moment == 1:
            arm = minus(origin_of(poses, components.body_links[body]), about)
            moment = plus(row3(out.required, body, 3), cross(arm, row3(out.required, body, 0)))
            needed = dot(unit, moment)
        lever = 0.0
        for k in range(x.shape[0]):
            sign = components.signs[body, k]
            if sign == 0.0:
                continue
            part = sign * _part(components, directions, points, k, unit, about, is_moment)
            if balances.later[row, k] == 1 and abs(part) > NO_PART:
                return row + 1
            needed -= part * x[k]
            lever += part * balances.weights[k, row]
        if not abs(lever) > NO_PART:
            return row + 1
        for k in range(x.shape[0]):
            x[k] += balances.weights[k, row] * needed / lever
    return SHARED


@inlined
def _write_results(components, poses, out):
    """The wrench of each joint in its axes, and the residual of each body in its own."""
    out.wrenches[:] = 0.0
    for body in range(out.residual.shape[0]):
        link = components.body_links[body]
        origin, onto = origin_of(poses, link), rotation_of(poses, link)
        force, moment = row3(out.required, body, 0), row3(out.required, body, 3)
        for k in range(out.components.shape[0]):
            amount, direction = components.signs[body, k] * out.components[k], row3(out.directions, k, 0)
            if components.moments[k] == 1:
                moment = plus_scaled(moment, -amount, direction)
            else:
                arm = minus(_at(out.points, components.joints[k]), origin)
                force = plus_scaled(force, -amount, direction)
                moment = plus_scaled(moment, -amount, cross(arm, direction))
        set_row3(out.residual, body, 0, transposed_times(onto, force))
        set_row3(out.residual, body, 3, transposed_times(onto, moment))
    for k in range(out.components.shape[0]):
        joint, first = components.joints[k], 3 * components.moments[k]
        along = transposed_times(rotation_of(poses, components.axis_links[joint]), row3(out.directions, k, 0))
        total = plus_scaled(row3(out.wrenches, joint, first), out.components[k], along)
        set_row3(out.wrenches, joint, first, total)


@kernel()
def share(components, balances, required, poses, out):
    """Share the required wrenches.

    Args:
        components, balances, required: :class:`Components`, :class:`Balances`, :class:`RequiredWrenches`.
        poses (l, 4, 4): homogeneous matrices of all links. out: :class:`SharedArrays`.

    Returns SHARED; -1 where a line has no length; else the number, from 1, of the first balance that contains
    a component which is given later, or has no lever arm.
    """
    _place_points(components, poses, out.points)
    if not _point_directions(components, poses, out.points, out.directions):
        return -1
    _sum_required(components, poses, required, out.required)
    status = _solve_balances(components, balances, poses, out)
    if status == SHARED:
        _write_results(components, poses, out)
    return status
