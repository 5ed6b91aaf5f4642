"""A test of nodes whose process dies in machine code runs once more, and the summary says so.

The middleware ends or blocks a process in rare cases (ros2/rclpy#1508 is one): once in some 20,000 tests,
never seen twice in the same one. A fault of a node comes again, and fails; the library's tests, which know no
middleware, fail at once. Where the process was, faulthandler prints when it dies.
"""

import pytest

LIBRARY = "src/modular_dynamics/"


class DeadWorkers:
    """pytest's hooks in the process that hands out the tests."""

    def __init__(self) -> None:
        self.died: list[str] = []

    @pytest.hookimpl(optionalhook=True)  # xdist's
    def pytest_handlecrashitem(self, crashitem, report, sched):
        """Let a test of nodes run once more; after a second death it has failed."""
        if crashitem not in self.died and not crashitem.startswith(LIBRARY):
            sched.mark_test_pending(crashitem)
            report.outcome = "rerun"
        self.died.append(crashitem)

    def pytest_terminal_summary(self, terminalreporter):
        """Name the tests whose process died."""
        for test in self.died:
            terminalreporter.line(f"the process died in {test}; its trace stands further up", red=True)


def register(config: pytest.Config) -> None:
    """Watch the workers."""
    config.pluginmanager.register(DeadWorkers(), "dead_workers")
