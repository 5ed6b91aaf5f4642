"""Dynamics compiled from C++, ``include/modular_dynamics``: functions of one state, and of many (``_rows``).

Arguments are positional. Arrays must be C-contiguous, aligned, in native byte order, of float64 and of the
exact shape: nothing is converted or copied. Functions of many states have one axis more in front, of as many
rows; with float32 arrays `Robot.inverse_dynamics_rows` computes in single precision.

v, a and tau may be None, which stands for zeros.

out takes the result, in the shape that is named at each function. Where that is (nv,), or (rows, nv), out may
be one of the arguments q, v, a or tau, wholly. Else it shares memory with no argument.

Status of one state of a `Robot`, as an int (`Loops` say theirs):

- GOOD: out has the result.
- NOT_FINITE: an argument that is read is not finite, or a quaternion is shorter than 1e-6. out is as it was.
- OVERFLOW: all arguments are finite, and a result is not.
- NO_INERTIA + k: joint k, in the order of the arrays of `Robot`, takes part in a motion that moves no
  inertia.

Many states return (rows, status): how many rows there are before the first one that is not good, and the
status of that one. All rows before it are written; some after it may be. With all rows good it is (rows of q,
GOOD).

terms: a sum of ARMATURE, SPRINGS and FRICTION, what joints add to the torques, where they have it. Default:
ARMATURE + SPRINGS.

loads: float64 (n, 6), [force N, moment N m] from outside on the body of each joint, at its origin and in its
axes; of many states (n, 6) for all, or (rows, n, 6). Of the number type of q. None: there are none.

passing: int64 (n,), what becomes of the wrench of each joint: WHOLE, it goes on to the parent; CUT, it does
not, and a load on the parent stands for it; UNKNOWN, inside a black box, where torques are NaN. None: all are
WHOLE.

threads: 1 to 1024, at most one for some 256 rows. They run without the interpreter's lock.

Errors: TypeError for what is no array, for a wrong dtype or number of arguments, ValueError for a wrong
shape, stride, alignment, value, for a read-only out and for shared memory; MemoryError. They name the
argument. ImportError in a subinterpreter. Of `Loops` and `Reactions` shared memory is not noticed.

Robots, frames, loops and rules never change, and any thread may use them at any time. A call for one state
holds the interpreter's lock while it runs, so that it can use memory that the robot or its loops keep; a call
for many has memory of its own. After a fork both work in the child.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

GOOD: int
NOT_FINITE: int
OVERFLOW: int
NO_INERTIA: int
ELSEWHERE: int

ARMATURE: int
SPRINGS: int
FRICTION: int

OWN_AXES: int
AT_ROOT: int
SPATIAL: int

WHOLE: int
CUT: int
UNKNOWN: int

#: Names of the kernels that this processor can run, the newest first: of "x86-64-v4", "x86-64-v3",
#: "x86-64-v2", "baseline".
kernels: list[str]
#: Those that robots run by default: the first of them, or those that MODULAR_DYNAMICS_KERNELS names.
processor: str
#: States that they compute side by side in double precision.
lanes: int

#: Names of the operations that `record` lists, by their numbers: inputs and constants, then those of one
#: line, then those of two.
OPERATIONS: list[str]

_Array: TypeAlias = NDArray[np.float64]
_Numbers: TypeAlias = NDArray[np.float64] | NDArray[np.float32]
_Integers: TypeAlias = NDArray[np.int64]
_Flags: TypeAlias = NDArray[np.bool_]
_Rates: TypeAlias = _Array | None
#: A function as straight-line code: operations (n, 3), constants, and the lines of results, of pivots and of
#: what must be positive for loops to close. A row of operations is [operation, line, line], both before it;
#: [input, array, element]; or [constant, index, 0]. Every line is needed.
_Recorded: TypeAlias = tuple[_Integers, _Array, _Integers, _Integers, _Integers]

class Frames:
    """Frames fixed in bodies of a robot, as links are. Functions compute only the joints that carry them."""

    def __new__(cls, robot: Robot, /, *, body: _Integers, R: _Array, p: _Array) -> Frames:
        """Make k frames.

        Args:
            body: (k,) the joint whose body has the frame; -1: the ground.
            R: (k, 3, 3) rotations body <- frame. p: (k, 3) origins in the body's frame [m].
        """

class Robot:
    """A tree of joints, each with the body that it carries. Units are those of the SI."""

    def __new__(
        cls,
        *,
        parent: _Integers,
        type: _Integers,
        q: _Integers,
        v: _Integers,
        mimics: _Flags,
        axis: _Array,
        R_parent_joint: _Array,
        p_parent_joint: _Array,
        mass: _Array,
        com: _Array,
        inertia: _Array,
        multiplier: _Array,
        offset: _Array,
        armature: _Array,
        stiffness: _Array,
        rest_position: _Array,
        damping: _Array,
        friction: _Array,
        gravity: _Array,
        size: _Integers,
        kernels: str | None = None,
    ) -> Robot:
        """Make a robot of arrays with a row for each of n joints.

        Args:
            parent: (n,) the joint that carries it, before it in the list; -1: the ground.
            type: (n,) 0 revolute, 1 prismatic, 2 floating, 3 spherical.
            q, v: (n,) its first coordinate and velocity; of a mimic joint those of its driver. Floating: x y
                z and quaternion w x y z, beside [linear, angular] velocity in the body's axes; spherical:
                quaternion, and angular velocity in the body's axes.
            mimics: (n,) whether it mimics another: angle or shift = multiplier q + offset.
            axis: (n, 3) unit vectors in the body's axes.
            R_parent_joint, p_parent_joint: (n, 3, 3), (n, 3) its pose in its parent's body frame at q = 0.
            mass: (n,). com: (n, 3) in the body's frame. inertia: (n, 3, 3) about the centre of mass, in the
                body's axes.
            multiplier, offset: (n,) of mimic joints; 1 and 0 of others.
            armature, stiffness, rest_position, damping, friction: (n,) of the joint itself.
            gravity: (3,) acceleration in the ground's axes.
            size: (2,) numbers of coordinates nq and of velocities nv.
            kernels: name of the kernels to run; None: the newest that this processor can.

        Raises:
            TypeError, ValueError: an array is missing or does not fit; a velocity without a joint, or with
                several.
        """
    @property
    def kernels(self) -> str:
        """Name of the kernels that the robot's functions run."""
    @property
    def number_count(self) -> int:
        """Length of the array that `numbers` writes."""
    def numbers(self, out: _Array, /) -> None:
        """Write all numbers of the robot (number_count,): what `inverse_dynamics_designs` takes of each
        design.

        They are affine in masses, in positions of joints, in armature, damping, friction, and in gravity.
        """
    def inverse_dynamics_designs(
        self, numbers: _Array, q: _Array, v: _Rates, a: _Rates, out: _Array, threads: int, terms: int = ..., /
    ) -> tuple[int, int, int]:
        """Torques of s states of each of d robots that differ from this one in their numbers: (d, s, nv).

        Joints, their types and axes are this robot's.

        Args:
            numbers: (d, number_count). q: (d, s, nq). v, a: (d, s, nv).

        Returns:
            How many designs are good before the first one that is not, the state of that one, and its status.
        """
    def inverse_dynamics(
        self,
        q: _Array,
        v: _Rates,
        a: _Rates,
        out: _Array,
        terms: int = ...,
        loads: _Array | None = None,
        passing: _Integers | None = None,
        /,
    ) -> int:
        """Torques (nv,) of q, v and a; NaN at joints inside black boxes."""
    def inverse_dynamics_rows(
        self,
        q: _Numbers,
        v: _Numbers | None,
        a: _Numbers | None,
        out: _Numbers,
        threads: int,
        terms: int = ...,
        loads: _Numbers | None = None,
        passing: _Integers | None = None,
        /,
    ) -> tuple[int, int]:
        """`inverse_dynamics` of rows, in double or in single precision."""
    def joint_wrenches(
        self,
        q: _Array,
        v: _Rates,
        a: _Rates,
        out: _Array,
        terms: int = ...,
        loads: _Array | None = None,
        passing: _Integers | None = None,
        /,
    ) -> int:
        """Torques (nv,) and, behind them, [force, moment] (n, 6) of each joint on its body: (nv + 6 n,).

        Wrenches are at the body's origin and in its axes; they bear what moves the bodies, not what terms of
        joints do.
        """
    def joint_wrenches_rows(
        self,
        q: _Array,
        v: _Rates,
        a: _Rates,
        out: _Array,
        threads: int,
        terms: int = ...,
        loads: _Array | None = None,
        passing: _Integers | None = None,
        /,
    ) -> tuple[int, int]:
        """`joint_wrenches` of rows."""
    def forward_dynamics(
        self, q: _Array, v: _Rates, tau: _Rates, out: _Array, terms: int = ..., loads: _Array | None = None, /
    ) -> int:
        """Accelerations (nv,): by articulated bodies, or by the mass matrix where joints mimic others."""
    def forward_dynamics_rows(
        self,
        q: _Array,
        v: _Rates,
        tau: _Rates,
        out: _Array,
        threads: int,
        terms: int = ...,
        loads: _Array | None = None,
        /,
    ) -> tuple[int, int]:
        """`forward_dynamics` of rows."""
    def hybrid_dynamics(
        self,
        prescribed: _Flags,
        q: _Array,
        v: _Rates,
        a: _Rates,
        tau: _Rates,
        out: _Array,
        terms: int = ...,
        loads: _Array | None = None,
        /,
    ) -> int:
        """Accelerations and torques (2, nv), by the mass matrix.

        Args:
            prescribed: (nv,) the velocities whose accelerations are known. Only there a is read, and
                elsewhere tau; the others may be anything, NaN as well. With none `forward_dynamics` is more
                exact.
        """
    def hybrid_dynamics_rows(
        self,
        prescribed: _Flags,
        q: _Array,
        v: _Rates,
        a: _Rates,
        tau: _Rates,
        out: _Array,
        threads: int,
        terms: int = ...,
        loads: _Array | None = None,
        /,
    ) -> tuple[int, int]:
        """`hybrid_dynamics` of rows, with the same prescribed velocities."""
    def mass_matrix(self, q: _Array, out: _Array, terms: int = ..., /) -> int:
        """M (nv, nv), with armatures on its diagonal where they count."""
    def mass_matrix_rows(self, q: _Array, out: _Array, threads: int, terms: int = ..., /) -> tuple[int, int]:
        """`mass_matrix` of rows."""
    def record(self, name: str, inputs: int, terms: int = ..., frames: Frames = ..., /) -> _Recorded:
        """Return a function as a list of operations, with this robot's constants folded.

        Inputs are arrays 0, 1, 2: q, v, and a or tau. Nothing is checked in it: for finite numbers, and
        quaternions that are not zero. Pivots are those of forward dynamics, less what they must exceed.

        Args:
            name: "inverse_dynamics", "mass_matrix", "forward_dynamics", "inverse_dynamics_derivatives"; or
                "frame_poses", and "jacobian" (k, 6, nv), of frames.
            inputs: how many of the three are read; the others are zeros.

        Raises:
            ValueError: another name.
        """
    def coriolis_matrix(self, q: _Array, v: _Rates, out: _Array, /) -> int:
        """C (nv, nv): C v are the torques of velocities, and Mdot = C + C^T."""
    def coriolis_matrix_rows(self, q: _Array, v: _Rates, out: _Array, threads: int, /) -> tuple[int, int]:
        """`coriolis_matrix` of rows."""
    def inverse_dynamics_derivatives(
        self, q: _Array, v: _Rates, a: _Rates, out: _Array, terms: int = ..., loads: _Array | None = None, /
    ) -> int:
        """d tau/dq, d tau/dv, d tau/da: (3, nv, nv).

        Of floating and spherical joints dq is a small displacement in the body's axes, as v is. Loads are
        fixed in their bodies.
        """
    def inverse_dynamics_derivatives_rows(
        self,
        q: _Array,
        v: _Rates,
        a: _Rates,
        out: _Array,
        threads: int,
        terms: int = ...,
        loads: _Array | None = None,
        /,
    ) -> tuple[int, int]:
        """`inverse_dynamics_derivatives` of rows."""
    def forward_dynamics_derivatives(
        self, q: _Array, v: _Rates, tau: _Rates, out: _Array, terms: int = ..., loads: _Array | None = None, /
    ) -> int:
        """da/dq, da/dv, da/dtau, nv rows each, and a in the last row: (3 nv + 1, nv)."""
    def forward_dynamics_derivatives_rows(
        self,
        q: _Array,
        v: _Rates,
        tau: _Rates,
        out: _Array,
        threads: int,
        terms: int = ...,
        loads: _Array | None = None,
        /,
    ) -> tuple[int, int]:
        """`forward_dynamics_derivatives` of rows."""
    def frame_poses(self, frames: Frames, q: _Array, out: _Array, /) -> int:
        """Homogeneous matrices root <- frame (k, 4, 4)."""
    def frame_poses_rows(self, frames: Frames, q: _Array, out: _Array, threads: int, /) -> tuple[int, int]:
        """`frame_poses` of rows."""
    def frame_motions(self, frames: Frames, q: _Array, v: _Rates, a: _Rates, out: _Array, /) -> int:
        """Motions (k, 8, 3) in the root's axes.

        Three rows of R_root_frame, the origin, angular velocity, velocity of the origin, angular acceleration
        and (classical) acceleration of the origin, without gravity.
        """
    def frame_motions_rows(
        self, frames: Frames, q: _Array, v: _Rates, a: _Rates, out: _Array, threads: int, /
    ) -> tuple[int, int]:
        """`frame_motions` of rows."""
    def frame_velocities(self, frames: Frames, form: int, q: _Array, v: _Rates, out: _Array, /) -> int:
        """[linear, angular] velocities (k, 6).

        Args:
            form: a sum of OWN_AXES, in the axes of the frame, not of the root; AT_ROOT, of the point that is
                at the root's origin at this instant, not of the frame's origin.
        """
    def frame_velocities_rows(
        self, frames: Frames, form: int, q: _Array, v: _Rates, out: _Array, threads: int, /
    ) -> tuple[int, int]:
        """`frame_velocities` of rows."""
    def frame_accelerations(
        self, frames: Frames, form: int, q: _Array, v: _Rates, a: _Rates, out: _Array, /
    ) -> int:
        """[linear, angular] accelerations (k, 6).

        With a = None the derivative of J times v: of the jacobian in the root's axes with form 0, of that in
        the frame's with OWN_AXES + SPATIAL.

        Args:
            form: as of `frame_velocities`; and SPATIAL, the rate of the velocity at a point fixed in space,
                not the acceleration of a point that moves along.
        """
    def frame_accelerations_rows(
        self, frames: Frames, form: int, q: _Array, v: _Rates, a: _Rates, out: _Array, threads: int, /
    ) -> tuple[int, int]:
        """`frame_accelerations` of rows."""
    def jacobian(self, frames: Frames, form: int, q: _Array, out: _Array, /) -> int:
        """J (6, nv) of one frame: [velocity of its origin, angular velocity] = J v.

        Args:
            form: 0, in the root's axes; or OWN_AXES.
        """
    def jacobian_rows(
        self, frames: Frames, form: int, q: _Array, out: _Array, threads: int, /
    ) -> tuple[int, int]:
        """`jacobian` of rows."""
    def whole_body(self, q: _Array, v: _Rates, a: _Rates, out: _Array, /) -> int:
        """Sums over all bodies (16,), in the root's axes and about its origin.

        Mass times centre of mass (3), linear and angular momentum (6), their derivatives (6), kinetic energy
        without armatures (1).
        """
    def whole_body_rows(
        self, q: _Array, v: _Rates, a: _Rates, out: _Array, threads: int, /
    ) -> tuple[int, int]:
        """`whole_body` of rows."""
    def momentum_matrix(self, q: _Array, out: _Array, /) -> int:
        """A (6, nv): [linear, angular] momentum about the centre of mass = A v, in the root's axes."""
    def momentum_matrix_rows(self, q: _Array, out: _Array, threads: int, /) -> tuple[int, int]:
        """`momentum_matrix` of rows."""
    def regressor(self, q: _Array, v: _Rates, a: _Rates, out: _Array, /) -> int:
        """Y (nv, 10 n): torques without terms of joints = Y theta.

        theta: of each joint's body [m, m c (x y z), Ixx, Ixy, Iyy, Ixz, Iyz, Izz] about its origin and in its
        axes.
        """
    def regressor_rows(
        self, q: _Array, v: _Rates, a: _Rates, out: _Array, threads: int, /
    ) -> tuple[int, int]:
        """`regressor` of rows."""

class Loops:
    """The closed loops of a robot: functions of its p independent velocities, in double precision.

    The loops are closed from a guess, a configuration (nq,) of all joints in the wanted assembly mode, with
    closed loops or nearly so; dead points are not crossed on the way to the given coordinates.

    Status of one state, as an int:

    - GOOD: out has the result, coordinates and details what was found beside it.
    - NOT_FINITE, OVERFLOW: as of a robot. NO_INERTIA: independent coordinates move too little inertia for
      their accelerations.
    - ELSEWHERE: the loops were not closed: out of reach, near a dead point, far from the guess. All calls say
      so where `undetermined` is not empty.

    Where it is not GOOD, nothing is written.

    coordinates: (nq,) of all joints, written. It may be the guess, or None.

    details: (`details`,) of inverse_dynamics, written; or None. Velocities (nv,) and accelerations (nv,) of
    all joints; tensions of springs; [force, moment] of each loop joint on its successor, at and in its
    anchor; those of the open tree's joints, each on its body, at its origin and in its axes; the
    smallest sine of an angle between the rods of a planar loop, or 1.

    friction: whether damping and friction of joints count. Armatures and springs always do.

    Functions of many states have one axis more in front of all arrays. Their guess is (rows, nq), one for
    each, or (nq,): then each state follows from the last one before it that is GOOD. statuses: int64 (rows,),
    written; a state that is not GOOD stops no other. No array that is written may be another one, but
    coordinates of one state may be its guess.
    """

    def __new__(
        cls,
        robot: Robot,
        /,
        *,
        loop_type: _Integers,
        loop_bodies: _Integers,
        loop_poses: _Array,
        loop_axis: _Array,
        gear_offset: _Array,
        term_gear: _Integers,
        term_joint: _Integers,
        term_ratio: _Array,
        spring_bodies: _Integers,
        spring_poses: _Array,
        spring_law: _Array,
        independent: _Integers,
    ) -> Loops:
        """Make the loops of a robot, which is the open tree; they run its kernels.

        Bodies are numbered as joints are, -1 is the ground. Poses: a rotation row by row and a position [m],
        body <- anchor, of predecessor and successor.

        Args:
            loop_type: (k,) 0 revolute, 1 spherical, 2 universal, 3 fixed, 4 prismatic, 5 planar.
            loop_bodies, loop_poses: (k, 2), (k, 2, 12).
            loop_axis: (k, 3) unit vectors in both anchors.
            gear_offset: (g,) of 0 = offset + sum of ratio q.
            term_gear, term_joint, term_ratio: (t,) the terms of these sums: gear, joint with one coordinate,
                ratio.
            spring_bodies, spring_poses: (s, 2), (s, 2, 12), between the anchors' origins.
            spring_law: (s, 4) stiffness, free length, initial force, damping.
            independent: joints, in the order of the p independent velocities.

        Raises:
            TypeError, ValueError: an array is missing or does not fit.
        """
    @property
    def clusters(self) -> list[tuple[str, list[int]]]:
        """The order in which loops are solved: "gear", "circles", "circle_line", "line_circle", "lines" or
        "newton", and the velocities that it finds."""
    @property
    def undetermined(self) -> list[int]:
        """Velocities because of which this robot is not solved here."""
    @property
    def spatial(self) -> list[int]:
        """Numbers of the loop joints whose loops do not move in a plane."""
    @property
    def details(self) -> int:
        """How many numbers the details of a state have."""
    @property
    def rows(self) -> int:
        """The number m of conditions of all loops and gears."""
    def inverse_dynamics(
        self,
        q: _Array,
        v: _Array,
        a: _Array,
        guess: _Array,
        out: _Array,
        coordinates: _Rates = None,
        details: _Rates = None,
        friction: bool = False,
        loads: _Rates = None,
        /,
    ) -> int:
        """Torques (p,) of q, v and a of the independent joints.

        loads: as above, of many states (n, 6) for all.
        """
    def inverse_dynamics_rows(
        self,
        q: _Array,
        v: _Array,
        a: _Array,
        guess: _Array,
        out: _Array,
        coordinates: _Rates,
        details: _Rates,
        statuses: _Integers,
        friction: bool,
        threads: int,
        loads: _Rates = None,
        /,
    ) -> None:
        """`inverse_dynamics` of rows."""
    def mass_matrix(
        self,
        q: _Array,
        guess: _Array,
        out: _Array,
        coordinates: _Rates = None,
        details: None = None,
        friction: bool = False,
        /,
    ) -> int:
        """M (p, p)."""
    def mass_matrix_rows(
        self,
        q: _Array,
        guess: _Array,
        out: _Array,
        coordinates: _Rates,
        details: None,
        statuses: _Integers,
        friction: bool,
        threads: int,
        /,
    ) -> None:
        """`mass_matrix` of rows."""
    def forward_dynamics(
        self,
        q: _Array,
        v: _Array,
        tau: _Array,
        guess: _Array,
        out: _Array,
        coordinates: _Rates = None,
        details: None = None,
        friction: bool = False,
        /,
    ) -> int:
        """Accelerations (p,)."""
    def forward_dynamics_rows(
        self,
        q: _Array,
        v: _Array,
        tau: _Array,
        guess: _Array,
        out: _Array,
        coordinates: _Rates,
        details: None,
        statuses: _Integers,
        friction: bool,
        threads: int,
        /,
    ) -> None:
        """`forward_dynamics` of rows."""
    def record(self, name: str, inputs: int, springs: bool, near: _Array, farthest: _Array, /) -> _Recorded:
        """Return a function of independent joints as a list of operations: see `Robot.record`.

        Of loops in closed form, within about 1e-6 rad of dead points; passive joints that rotate are within
        half a turn of ``near``.

        Args:
            name: "coordinates" (nq,), or "projection" (nv, p) of velocities, of all joints;
                "inverse_dynamics", "mass_matrix", "forward_dynamics".
            springs: whether those at joints and between links count.
            near: (nq,) closed coordinates, whose assembly mode the function has.
            farthest: of each independent coordinate, how far it may be from there.

        Raises:
            ValueError: loops that are closed by Newton's method, or another name.
        """
    def constraints(
        self, q: _Array, v: _Array, phi: _Array, J: _Array, gamma: _Array, wrenches: _Array = ..., /
    ) -> None:
        """Conditions of all loops and gears at q (nq,) and v (nv,) of all joints.

        Written: phi (m,), zero where they are met; J (m, nv); gamma (m,), so that J a = -gamma; wrenches
        (m, 6), [force, moment] of each row on its loop joint's successor, at and in its anchor, per unit of
        the row's multiplier: zero of gears.
        """
    def spring_lengths(
        self, q: _Array, v: _Array, lengths: _Array, J: _Array, gamma: _Array, wrenches: _Array = ..., /
    ) -> None:
        """The same of the lengths (s,) of springs."""
    def modes(self, q: _Array, guess: _Array, configurations: _Array, /) -> int:
        """Write all assembly modes at q of the independent joints, and return how many they are.

        -1: some loops are not solved in closed form, or there might be more modes than rows. 0: the first
        row has an attempt, a dead point or as far as loops reach.

        Args:
            guess: (nq,); angles are those nearest to it. configurations: (rows, nq), written.
        """

class Reactions:
    """Rules that share the reactions of an over-constrained mechanism; by the kernels of `processor`.

    Each balance of forces or moments of a body gives components of joints' reactions in proportion to their
    weights, one balance after the other.
    """

    def __new__(
        cls,
        *,
        links: _Integers,
        body_links: _Integers,
        required_links: _Integers,
        axes_links: _Integers,
        point_links: _Integers,
        points: _Array,
        component_joint: _Integers,
        component_axis: _Integers,
        component_moment: _Integers,
        component_along: _Array,
        balance_body: _Integers,
        balance_frame: _Integers,
        balance_axis: _Integers,
        balance_about: _Integers,
        balance_moment: _Integers,
        signs: _Array,
        weights: _Array,
        later: _Array,
        required_signs: _Array,
    ) -> Reactions:
        """Make rules for b bodies, w required wrenches, j joints, n components and r balances.

        Args:
            links: (1,) how many links the robot has; links are numbered up to it.
            body_links: (b,) whose origin a body's wrenches are about. required_links: (w,) where they act.
            axes_links: (j,) whose axes a joint's components have.
            point_links, points: (j, 2), (j, 2, 3) two points of each joint, fixed in links [m].
            component_joint, component_axis: (n,) 0, 1, 2; -1: along the line between the joint's points.
            component_moment: (n,) 1 of a moment, 0 of a force. component_along: (n,) 1 or -1: the sense of a
                component along a line.
            balance_body, balance_frame, balance_axis, balance_about, balance_moment: (r,) the body, the joint
                whose axis 0, 1, 2 it is along, the joint about whose second point, and 1 of moments, 0 of
                forces.
            signs: (b, n) 1 of a component on the body, -1 of one that it exerts, 0 of others.
            weights, later: (r, n) shares of components, and 1 where a balance must not contain one.
            required_signs: (b, w) as signs, of required wrenches.

        Raises:
            TypeError, ValueError: an array is missing or does not fit.
        """
    def share(
        self,
        poses: _Array,
        required: _Array,
        components: _Array,
        wrenches: _Array,
        points: _Array,
        residual: _Array,
        shared: _Flags,
        /,
    ) -> None:
        """Reactions of rows of states, each array (rows, numbers of a state).

        Args:
            poses: 16 for each link: homogeneous matrices root <- link.
            required: 6 w, [force, moment] at and in frames of links.
            components: n; known ones and zeros, then all.
            wrenches, points: 6 j each, written: [force, moment] at the joint's point along its axes, and its
                two points in the root's axes.
            residual: 6 b, written: what is left of bodies' wrenches about their origins, in their axes.
            shared: (rows,) written: whether every balance gives its components. Where not, the other arrays
                may have anything.
        """
