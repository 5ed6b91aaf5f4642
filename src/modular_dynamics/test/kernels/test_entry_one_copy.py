"""One input, one result to the bit: whatever was compiled when, and whatever the disk cache held."""

import importlib
import os
import pkgutil
import shutil

import pytest
from numba import config
from numba.core.dispatcher import Dispatcher

from helpers.paths import ROBOTS
from helpers.processes import run_python
from modular_dynamics import kernels

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")

#: Does what its arguments say, in their order, and prints the results' bits.
PROGRAM = f"""
import hashlib, sys
import numpy as np
import modular_dynamics as md

def torques():
    arm, digest = md.load_urdf("{ROBOTS}/four_link.urdf", floating_base=True), hashlib.sha256()
    solver, rng = md.InverseDynamics(arm), np.random.default_rng(0)
    for _ in range(200):
        q, v, vdot = rng.normal(size=arm.nq), rng.normal(size=arm.nv), rng.normal(size=arm.nv)
        tau = solver(q, v, vdot)
        wrench = {{arm.joints[0].child_link: np.zeros(6)}}
        for other in (
            solver(list(q), v, vdot), md.inverse_dynamics(arm, q, v, vdot), solver(q, v, vdot, wrench)
        ):
            np.testing.assert_array_equal(other, tau)  # also -0.0 == 0.0, which no rounding makes of another
        digest.update(tau)
    return digest.hexdigest()

def batch():
    arm = md.load_urdf("{ROBOTS}/four_link.urdf", floating_base=True)
    rng = np.random.default_rng(0)
    states = rng.normal(size=(50, arm.nq)), *rng.normal(size=(2, 50, arm.nv))
    return hashlib.sha256(md.inverse_dynamics_batch(arm, *states, threads=1)).hexdigest()

def loops():
    linkage, digest = md.load_urdf("{ROBOTS}/four_bar.urdf"), hashlib.sha256()
    n, rng = len(linkage.independent_joint_names), np.random.default_rng(0)
    for _ in range(20):
        solution = md.closed_loop_inverse_dynamics(linkage, *rng.uniform(-0.3, 0.3, size=(3, n)))
        digest.update(solution.tau), digest.update(solution.multipliers)
    return digest.hexdigest()

for name in sys.argv[1:]:
    print(name, globals()[name]())
"""


def _results(folder, *steps):
    """Results of a new process, with the kernels in a folder."""
    environment = os.environ if folder is None else {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    done = run_python("-c", PROGRAM, *steps, env=environment)
    assert done.returncode == 0, done.stderr
    return dict(line.split() for line in done.stdout.splitlines())


@pytest.mark.slow
@pytest.mark.timeout(900)  # on a busy machine, where nothing is on the disk yet
def test_results_do_not_depend_on_what_was_compiled_before(tmp_path):
    """Torques compiled first and alone; compiled after other kernels were loaded; everything loaded."""
    runs = [_results(None, "loops", "batch", "torques")]  # compiles what the usual folder lacks
    alone, after_others = tmp_path / "alone", tmp_path / "after others"
    if config.CACHE_DIR:
        entries_and_unfinished_files = shutil.ignore_patterns("entry.*", "*tmp*")
        shutil.copytree(config.CACHE_DIR, after_others, ignore=entries_and_unfinished_files)
    for folder, steps in ((alone, ["torques"]), (after_others, ["batch", "loops", "torques"])):
        runs += [_results(folder, *steps), _results(folder, "torques")]
    runs.append(_results(None, "torques", "batch", "loops"))
    for name in ("torques", "batch", "loops"):
        assert len({results[name] for results in runs if name in results}) == 1, (name, runs)


def _compiled_functions():
    for info in pkgutil.walk_packages(kernels.__path__, f"{kernels.__name__}."):
        module = importlib.import_module(info.name)
        for name, function in vars(module).items():
            if isinstance(function, Dispatcher) and function.py_func.__module__ == module.__name__:
                yield f"{info.name}.{name}", function


def _is_inlined(function):
    options = function.targetoptions
    return options.get("inline") == "always" or options.get("forceinline", False)


def test_no_machine_code_is_shared_by_kernels():
    """Every function is either inlined wherever it is called, or a kernel on the disk that none calls.

    Otherwise machine code of one kernel would hold a copy of another's, and which copy a call reaches is
    decided when they are loaded: the one that came first.
    """
    for name, function in _compiled_functions():
        assert _is_inlined(function) or function._cache.cache_path, f"{name} is called, but not inlined"
        for called in function.py_func.__code__.co_names:
            callee = function.py_func.__globals__.get(called)
            if isinstance(callee, Dispatcher):
                assert _is_inlined(callee), f"{name} calls {called}, which is not inlined"
