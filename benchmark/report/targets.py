"""Which of our calls is compared with which peers, and how many times as fast it should be."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Row", "rows"]


@dataclass(frozen=True)
class Row:
    """One comparison: with the fastest of the peers, by the medians of the same run."""

    what: str
    ours: str
    peers: tuple[str, ...]
    target: float | None = None


#: Ours gives the whole matrix; Pinocchio the upper half.
MASS = ("crba", "crba (world)", "mj kinematics + crb + full")
SPARSE = ("mj kinematics + crb",)
FORWARD = ("aba", "aba (world)", "mj_forward")


def rows(threads: int, joints: int) -> list[Row]:
    """All comparisons of a robot. Up to seven joints, the call itself is most of a single call's time."""
    arm = joints <= 7
    out = "inverse_dynamics out="
    comparisons = [
        Row("torques, out=", out, ("rnea",), 2.0 if arm else 3.0),
        Row("torques, new array", "inverse_dynamics", ("rnea",), 2.0),
        Row("torques, out=", out, ("mj_inverse", "mj kinematics + rne")),
        Row("torques, out=", out, ("C rnea (ctypes)",), 0.8 if arm else None),
        Row("torques, out=", out, ("C rnea (loop in C)",)),
        Row("mass matrix", "mass_matrix", MASS, 1.5),
        Row("mass matrix", "mass_matrix", SPARSE),
        Row("accelerations", "forward_dynamics", FORWARD, 1.5),
        Row("accelerations", "forward_dynamics", ("C aba (ctypes)",)),
        Row("derivatives", "inverse_dynamics_derivatives", ("computeRNEADerivatives",), 1.0),
    ]
    batch = "inverse_dynamics_batch"
    for n in sorted({1, threads}):
        with_threads = f"{n} thread{'s' if n > 1 else ''}"
        alone = n == 1  # peers without a parallel version are called from Python, state by state
        comparisons += [
            Row(f"torques f64, {with_threads}", f"{batch} float64 {n}", (f"rneaInParallel {n}",), 20.0),
            Row(f"torques f32, {with_threads}", f"{batch} float32 {n}", (f"rneaInParallel {n}",), 35.0),
            *(
                [Row(f"torques f64, {with_threads}", f"{batch} float64 {n}", ("C rnea (loop in C)",))]
                if alone
                else []
            ),
            Row(f"mass matrix, {with_threads}", f"mass_matrix_batch {n}", MASS, 10.0),
            Row(
                f"accelerations, {with_threads}",
                f"forward_dynamics_batch {n}",
                (f"abaInParallel {n}", *(FORWARD if alone else ())),
                10.0,
            ),
            Row(
                f"derivatives, {with_threads}",
                f"inverse_dynamics_derivatives_batch {n}",
                ("computeRNEADerivatives",),
                8.0,
            ),
        ]
    return comparisons
