"""A test of nodes whose process dies in machine code runs once more, and the summary says so, with the place.

The middleware ends or blocks a process in rare cases (ros2/rclpy#1508 is one): once in some 20,000 tests,
never seen twice in the same one. A fault of a node comes again, and fails; the library's tests, which know no
middleware, fail at once.
"""

import faulthandler
import os
import re
import shutil
import tempfile
from pathlib import Path

import pytest

FOLDER = (
    "MODULAR_DYNAMICS_TEST_TRACES"  # environment variable, set for the workers: the folder of their traces
)
LIBRARY = "src/modular_dynamics/"
TEST_TOOLS = re.compile(r'.*site-packages/(_pytest|pluggy|xdist|execnet)/.*\n|  File "<string>".*\n')
NO_TRACE = "no trace: it was killed, or hung until faulthandler_timeout (then the trace stands further up)\n"


class DeadWorkers:
    """pytest's hooks in the process that hands out the tests."""

    def __init__(self) -> None:
        self.died: dict[str, str] = {}  # test -> where its process was, each time
        self.traces = Path(tempfile.mkdtemp(prefix="modular_dynamics_tests_"))
        os.environ[FOLDER] = str(self.traces)

    @pytest.hookimpl(optionalhook=True)  # xdist's
    def pytest_handlecrashitem(self, crashitem, report, sched):
        """Let a test of nodes run once more; after a second death it has failed."""
        if crashitem not in self.died and not crashitem.startswith(LIBRARY):
            sched.mark_test_pending(crashitem)
            report.outcome = "rerun"
        file = self.traces / report.node.gateway.id
        trace = TEST_TOOLS.sub("", file.read_text()) if file.is_file() else ""
        self.died[crashitem] = self.died.get(crashitem, "") + (trace or NO_TRACE)

    def pytest_terminal_summary(self, terminalreporter):
        """Name the tests whose process died, and where it was."""
        for test, traces in self.died.items():
            terminalreporter.section("the process died in this test")
            terminalreporter.line(f"{test}\n{traces}")

    def pytest_unconfigure(self):
        shutil.rmtree(self.traces)


def register(config: pytest.Config) -> None:
    """Watch the workers; in a worker, write the place where it dies into a file."""
    if worker := os.environ.get("PYTEST_XDIST_WORKER"):
        file = (Path(os.environ[FOLDER]) / worker).open("w")
        config.add_cleanup(file.close)
        config.add_cleanup(faulthandler.enable)  # before the file closes: what is added last is called first
        faulthandler.enable(file=file)
    else:
        config.pluginmanager.register(DeadWorkers(), "dead_workers")
