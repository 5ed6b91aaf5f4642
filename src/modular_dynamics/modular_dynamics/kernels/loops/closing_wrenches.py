"""The wrenches of loop joints and springs: on their links, and carried by the joints of the open tree."""

from typing import NamedTuple

from numpy import float64, int64
from numpy.typing import NDArray

from ..math.homogeneous import origin_of, place, rotation_of, set_row3
from ..math.vectors import cross, dot, minus, plus_cross, plus_scaled, scaled, times, transposed_times
from ..numba_support.compilation import inlined, kernel
from ..numba_support.neighbours import row3, row9

__all__ = ["ClosingArrays", "ClosingSums", "closing_wrenches"]


class ClosingArrays(NamedTuple):
    """The c cut joints, then the springs of one graph: e elements with anchors on its l links.

    Attributes:
        ends (e, 2): links of both ends. positions (e, 2, 3): of the anchors, in the links' frames.
        axes (c, 9): rotations link <- anchor of the cut joints' second ends.
        links (l,): 0, 1, 2, ... link_bodies (l,): the body that a link is part of; -1: the ground.
        body_links, parents (bodies,): the link whose frame a body has; the body before it, or -1.
    """

    ends: NDArray[int64]
    positions: NDArray[float64]
    axes: NDArray[float64]
    links: NDArray[int64]
    link_bodies: NDArray[int64]
    body_links: NDArray[int64]
    parents: NDArray[int64]


class ClosingSums(NamedTuple):
    """What the kernel writes, in the root link's axes unless another frame is named.

    Attributes:
        points (e, 2, 3): of both ends [m]; of a cut joint both are the second one.
        forces, moments (e, 3): on the second end [N], [N m].
        on_links (l, 6): the sum [force, moment] on each link, at and in its frame.
        on_joints (bodies, 6): the sum on each body and on all that its joint carries, at and in its frame.
    """

    points: NDArray[float64]
    forces: NDArray[float64]
    moments: NDArray[float64]
    on_links: NDArray[float64]
    on_joints: NDArray[float64]


@inlined
def _end(arrays, poses, element, end):
    positions = arrays.positions
    position = positions[element, end, 0], positions[element, end, 1], positions[element, end, 2]
    return place(poses, arrays.ends[element, end], position)


@inlined
def _set_point(points, element, end, point):
    points[element, end, 0], points[element, end, 1], points[element, end, 2] = point


@inlined
def _write_wrenches(arrays, poses, cut_wrenches, tensions, out):
    """Points, forces and moments of all elements."""
    cuts = cut_wrenches.shape[0]
    for element in range(arrays.ends.shape[0]):
        first, second = _end(arrays, poses, element, 0), _end(arrays, poses, element, 1)
        moment = 0.0, 0.0, 0.0
        if element < cuts:
            R, axes = rotation_of(poses, arrays.ends[element, 1]), row9(arrays.axes, element, 0)
            first, force = second, times(R, times(axes, row3(cut_wrenches, element, 0)))
            moment = times(R, times(axes, row3(cut_wrenches, element, 3)))
        else:
            line = minus(first, second)
            length = dot(line, line) ** 0.5
            pull = tensions[element - cuts] / length if length > 0.0 else 0.0
            force = scaled(pull, line)
        _set_point(out.points, element, 0, first)
        _set_point(out.points, element, 1, second)
        set_row3(out.forces, element, 0, force)
        set_row3(out.moments, element, 0, moment)


@inlined
def _add_about_root(table, row, sign, force, moment):
    set_row3(table, row, 0, plus_scaled(row3(table, row, 0), sign, force))
    set_row3(table, row, 3, plus_scaled(row3(table, row, 3), sign, moment))


@inlined
def _into_frames(table, links, poses):
    """Rows [force, moment about the root link's origin] -> at and in frames of links."""
    for row in range(table.shape[0]):
        R, force = rotation_of(poses, links[row]), row3(table, row, 0)
        moment = minus(row3(table, row, 3), cross(origin_of(poses, links[row]), force))
        set_row3(table, row, 0, transposed_times(R, force))
        set_row3(table, row, 3, transposed_times(R, moment))


@kernel()
def closing_wrenches(arrays, poses, cut_wrenches, tensions, out):
    """The wrenches at one configuration.

    Args:
        arrays: :class:`ClosingArrays`. poses (l, 4, 4): homogeneous matrices of all links.
        cut_wrenches (c, 6): at and in the second ends' anchor frames. tensions (s,): of the springs.
        out: :class:`ClosingSums`.
    """
    _write_wrenches(arrays, poses, cut_wrenches, tensions, out)
    on_links, on_joints = out.on_links, out.on_joints
    on_links[:] = 0.0
    on_joints[:] = 0.0
    for element in range(arrays.ends.shape[0]):
        # both ends of a spring are on the line of its force: either is the point of application
        at = out.points[element, 1, 0], out.points[element, 1, 1], out.points[element, 1, 2]
        force = row3(out.forces, element, 0)
        moment = plus_cross(row3(out.moments, element, 0), at, force)
        for end in range(2):
            link, sign = arrays.ends[element, end], 2.0 * end - 1.0
            _add_about_root(on_links, link, sign, force, moment)
            if arrays.link_bodies[link] >= 0:
                _add_about_root(on_joints, arrays.link_bodies[link], sign, force, moment)
    for body in range(on_joints.shape[0] - 1, -1, -1):
        if arrays.parents[body] >= 0:
            force, moment = row3(on_joints, body, 0), row3(on_joints, body, 3)
            _add_about_root(on_joints, arrays.parents[body], 1.0, force, moment)
    _into_frames(on_links, arrays.links, poses)
    _into_frames(on_joints, arrays.body_links, poses)
