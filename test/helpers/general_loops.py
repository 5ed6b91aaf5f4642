"""Closed loops without the core: closing and dynamics by the library's general method alone."""

from modular_dynamics.loops import ClosedLoopSolver


class GeneralSolver(ClosedLoopSolver):
    """Closes loops by Newton's method and continuation; ``general`` gives all results there."""

    def _close_by_core(self, start, target):
        return None

    def _nearest_mode(self, start, limited):
        return None

    def general(self, q, v, a, guess, friction="none"):
        return self.inverse_dynamics(self.close(q, guess), v, a, None, friction)
