"""Every kernel is prepared: what a user calls afterwards is loaded from the disk."""

import pytest
from numba import config

from helpers.paths import ROBOTS
from helpers.processes import run_python

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")

#: Runs all tasks; prints kernels, those on the disk that Python calls, of which none has machine code then.
ALL = """
import importlib, pkgutil
from numba.core.dispatcher import Dispatcher
from modular_dynamics import kernels
from modular_dynamics.prepare import tasks
for task in tasks().values():
    task()
for info in pkgutil.walk_packages(kernels.__path__, f"{kernels.__name__}."):
    for name, function in vars(importlib.import_module(info.name)).items():
        if isinstance(function, Dispatcher) and function.py_func.__module__ == info.name:
            options = function.targetoptions
            inlined = options.get("inline") == "always" or options.get("forceinline")
            if not inlined and not function.signatures:
                print(info.name, name)
"""

#: Compiles nothing after all tasks, whatever is called; prints what it compiled.
USER = f"""
import numpy as np
import modular_dynamics as md
from modular_dynamics.kernels.numba_support.first_use import compiled_names
from modular_dynamics.prepare import tasks
for task in tasks().values():
    task()
prepared = len(compiled_names())
for robot in ("four_bar", "charmie_torso"):
    linkage = md.load_urdf(f"{ROBOTS}/{{robot}}.urdf")
    state = np.zeros((3, len(linkage.independent_joint_names)))
    closed, still = md.close_loops(linkage, state[0]), np.zeros(linkage.nv)
    md.closed_loop_inverse_dynamics(linkage, *state), md.closed_loop_mass_matrix(linkage, state[0])
    md.closed_loop_forward_dynamics(linkage, closed, still, state[0])
print(compiled_names()[prepared:])
"""


@pytest.mark.slow
def test_every_kernel_is_prepared():
    done = run_python("-c", ALL)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


@pytest.mark.slow
def test_what_users_call_is_not_compiled_again():
    done = run_python("-c", USER)
    assert (done.returncode, done.stdout) == (0, "[]\n"), done.stderr
