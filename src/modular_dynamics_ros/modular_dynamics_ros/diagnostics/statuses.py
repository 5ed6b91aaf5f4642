"""The parts of /diagnostics that all nodes about a robot share: text and figures once a second."""

from modular_dynamics_ros.computation.closed_loop import ClosedLoopSolution
from modular_dynamics_ros.computation.computation import Answer
from modular_dynamics_ros.diagnostics.counts import MessageCounts
from modular_dynamics_ros.messages.status import Status, judged

__all__ = ["answer_values", "closure_status", "input_status"]


def input_status(counts: MessageCounts, problems: list[str], age: float | None, stale: bool) -> Status:
    """Joint states and what makes them unusable; `age`: since the last answered one [s]."""
    values = {
        "messages in": str(counts.received),
        "messages rejected": str(sum(counts.rejected.values())),
        "time since last good joint state [s]": "none yet" if age is None else f"{age:.3f}",
        "age of input at arrival [s]": f"{counts.input_age:.6f}",
    }
    values |= {f"rejected: {cause}": str(count) for cause, count in sorted(counts.rejected.items())}
    errors = [f"joint states are stale: the last answered one arrived {age:.2f} s ago"] if stale else []
    if age is None and not problems:
        problems = ["waiting for the first joint state"]
    return judged("input", "joint states are good", values, errors, problems)


def answer_values(counts: MessageCounts, source: str) -> dict[str, str]:
    """Number, rate and latency of the answers, and the `source` of the accelerations."""
    summary = counts.latency.summary()
    return {
        "messages out": str(counts.answered),
        "rate [Hz]": f"{summary.rate:.2f}",
        "latency p50 [ms]": f"{1e3 * summary.p50:.3f}",
        "latency p99 [ms]": f"{1e3 * summary.p99:.3f}",
        "latency max [ms]": f"{1e3 * summary.max:.3f}",
        "acceleration source": source,
    }


def closure_status(answer: Answer | None, closed_anew: int, errors: list[str], warnings: list[str]) -> Status:
    """Closed loops: residuals, distance from a dead point, and states whose loops did not close recently.

    Args:
        answer: the last one. closed_anew: see `MessageCounts`.
    """
    values: dict[str, str] = {}
    text = "no joint state was completed yet"
    if answer is not None and isinstance(answer.dynamics, ClosedLoopSolution):
        result, disagreements = answer.dynamics.result, answer.configuration.disagreements
        worst = max(result.residual.values(), default=0.0)
        text = f"the loops are closed to {worst:.1e} m or 1"
        values = {"largest residual [m or 1]": f"{worst:.3e}"}
        values |= {f"residual of {name} [m or 1]": f"{value:.3e}" for name, value in result.residual.items()}
        values |= {
            "condition number": f"{result.condition:.3e}",
            "redundant constraint rows": str(result.redundant),
            "answers closed anew": str(closed_anew),
        }
        values |= {f"tension of {name} [N]": f"{value:.6g}" for name, value in result.tensions.items()}
        values |= {
            f"measured minus closed of {name} [rad or m]": f"{value:.3e}"
            for name, value in disagreements.items()
        }
    return judged("closure", text, values, errors, warnings)
