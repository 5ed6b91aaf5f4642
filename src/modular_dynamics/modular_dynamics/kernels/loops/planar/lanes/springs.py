"""Springs between links, of several states side by side: tensions, and torques that hold them.

With r from the predecessor's anchor to the successor's, L = |r|, n = r / L and F the tension, the successor
is pulled by -F n. A joint on its side holds F n . w, one on the predecessor's side -F n . w: w = e x s of a
hinge with axis e, w = e of a slider, s from the joint to the anchor of its side. dL/dt is the sum of the same
n . w times velocities. Each side is in the frame of the body with the anchor; only joints between the two
bodies count.
"""

from ....layout import FLOATING, KIND, MULTIPLIER, PARENT, PRISMATIC, V
from ....math.vectors import dot, matrix_product, minus, plus, plus_scaled, scaled, times, transposed_times
from ....numba_support.compilation import inlined
from ....numba_support.lane_functions import chosen, square_root
from ....numba_support.memory import load, store
from ....numba_support.neighbours import load3, load9, store3
from ....placement import place, store_pose
from .sections import LANES

__all__ = ["add_springs", "springs_are_simple"]

#: Quantities of each end of a spring: turn from its body's frame to the common one; the anchor there; n.
POINT, DIRECTION, END = 9, 12, 15
#: Of a spring's two ends: whose side, and what its joints hold of n . w.
SIGNS = -1.0, 1.0


@inlined
def _common_body(i, j, topology):
    """The body on which the chains below two bodies meet; n is the ground."""
    n = topology.shape[0] - 1
    while i != j:
        if j == n or (i != n and i > j):  # bodies come after those that carry them
            i = topology[i, PARENT]
        else:
            j = topology[j, PARENT]
    return i


@inlined
def springs_are_simple(tree, springs):
    """Have all joints between the ends of springs one axis?"""
    topology, rows = tree.topology, springs.rows
    for s in range(springs.laws.shape[0]):
        loop = rows.indices[s, 1]
        end = _common_body(rows.ends[loop, 0], rows.ends[loop, 1], topology)
        for side in range(2):
            body = rows.ends[loop, side]
            while body != end:
                if topology[body, KIND] >= FLOATING:
                    return False
                body = topology[body, PARENT]
    return True


@inlined
def _follow(body, end, levers, pull, anchor, tree, states, work, like):
    """From an anchor down to the common body: w of each joint; turn and anchor's place at the end."""
    one, zero = like + 1.0, (like, like, like)
    turn = one, like, like, like, one, like, like, like, one
    point = plus(zero, anchor)
    while body != end:
        axis = turn[6], turn[7], turn[8]
        if tree.topology[body, KIND] != PRISMATIC:
            x, y = (turn[0], turn[1], turn[2]), (turn[3], turn[4], turn[5])
            axis = plus_scaled(scaled(point[0], y), -point[1], x)
        store3(work, levers, LANES, scaled(tree.constants[body, MULTIPLIER], axis))
        levers += 3 * LANES
        rotation, position = place(body, tree.topology, tree.constants, states, LANES, like)
        turn = matrix_product(rotation, turn)
        point = plus(position, times(rotation, point))
        body = tree.topology[body, PARENT]
    store_pose(work, pull, LANES, (turn, point))
    return levers


@inlined
def add_springs(tree, springs, states, work, at, like):
    """Write the tensions F_0 + k (L - L_0) + d dL/dt; add the torques that hold the springs."""
    topology, rows, laws = tree.topology, springs.rows, springs.laws
    for s in range(laws.shape[0]):
        loop = rows.indices[s, 1]
        end = _common_body(rows.ends[loop, 0], rows.ends[loop, 1], topology)
        levers = at.levers
        for side in range(2):
            anchor = rows.anchors[loop, side, 9], rows.anchors[loop, side, 10], rows.anchors[loop, side, 11]
            pull = at.pulls + side * END * LANES
            levers = _follow(rows.ends[loop, side], end, levers, pull, anchor, tree, states, work, like)
        first = load3(work, at.pulls + POINT * LANES, LANES, like)
        arm = minus(load3(work, at.pulls + (END + POINT) * LANES, LANES, like), first)
        square = dot(arm, arm)
        length = square_root(square)
        direction = scaled(chosen(square, 1.0 / length, like), arm)
        tension = laws[s, 2] + laws[s, 0] * (length - laws[s, 1])
        damped = laws[s, 3] != 0.0
        for pull in range(at.pulls, at.pulls + 2 * END * LANES, END * LANES):
            turned = transposed_times(load9(work, pull, LANES, like), direction)
            store3(work, pull + DIRECTION * LANES, LANES, turned)
        for part in range(0 if damped else 1, 2):
            levers, rate = at.levers, like
            for side in range(2):
                n = load3(work, at.pulls + (side * END + DIRECTION) * LANES, LANES, like)
                sign, body = SIGNS[side], rows.ends[loop, side]
                while body != end:
                    gain = sign * dot(n, load3(work, levers, LANES, like))
                    levers += 3 * LANES
                    index = topology[body, V] * LANES
                    if part == 0:
                        rate = rate + gain * load(work, at.v + index, like)
                    else:
                        store(work, at.tau + index, load(work, at.tau + index, like) + gain * tension)
                    body = topology[body, PARENT]
            if part == 0:
                tension = tension + laws[s, 3] * rate
        store(work, at.tensions + s * LANES, tension)
