"""`graph.to_cpp()`: the example programs compiled with headers of many robots."""

import re
import shutil
from dataclasses import replace

import numpy as np
import pinocchio
import pytest
from hypothesis import given

import modular_dynamics as md
from helpers.paths import ROOT
from helpers.processes import run_command
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import random_trees
from helpers.tree_dynamics import BOXED_TOOL, assert_close, random_states
from modular_dynamics.exceptions import StateError, UnsupportedModelError
from modular_dynamics.loops import solver_of

COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]
EXAMPLES, HEADERS = ROOT / "examples/cpp", ROOT / "src/modular_dynamics/include"
STRICT = ("-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-O1")

needs_compiler = pytest.mark.skipif(not COMPILERS, reason="no compiler")


def rows_of(program, namespace, graph, states, folder, compiler="g++", **options):
    """What an example program prints with another robot, which is written for it: one row for each line.

    It exits with 2 if it has allocated memory after its start.
    """
    for name in (program, "states.hpp", "allocations.cpp"):
        shutil.copy(EXAMPLES / name, folder)
    graph.to_cpp(folder / f"{namespace}.hpp", name=namespace, **options)
    sources = folder / program, folder / "allocations.cpp"
    built = run_command(compiler, *STRICT, f"-I{HEADERS}", *sources, "-o", folder / "program")
    assert built.returncode == 0, built.stderr
    text = "\n".join(" ".join(map(repr, np.concatenate(state).tolist())) for state in states)
    done = run_command(folder / "program", input=text)
    assert done.returncode == 0, (done.returncode, done.stdout)
    return [np.array(line.split(), float) for line in done.stdout.splitlines()]


def assert_tree_agrees(graph, folder, compiler="g++"):
    states = [*zip(*random_states(graph, 4, 3), strict=True)]
    rows = rows_of("tree.cpp", "four_link", graph, states, folder, compiler)
    assert len(rows) == len(states)
    for tau, (q, v, a) in zip(rows, states, strict=True):
        ours = md.inverse_dynamics(graph, q, v, a)
        terms = (ours, md.nonlinear_effects(graph, q, v), md.mass_matrix(graph, q) @ a)
        assert np.abs(tau - ours).max() <= 1e-12 * max(np.abs(x).max() for x in terms)
    return rows, states


@needs_compiler
@pytest.mark.parametrize("compiler", COMPILERS)
def test_torques_of_trees_equal_pinocchio(load_robot, tmp_path, compiler):
    graph = load_robot("vendor_arm", floating_base=True)
    rows, states = assert_tree_agrees(graph, tmp_path, compiler)
    pin = md.crosscheck.PinocchioModel(graph)
    for tau, (q, v, a) in zip(rows, states, strict=True):
        theirs = pin.tau(pinocchio.rnea(pin.model, pin.data, pin.q(q), pin.v(v), pin.v(a)))
        assert_close(tau, theirs, 1e-12)


@needs_compiler
@pytest.mark.slow
@examples(6)
@given(tree=random_trees(largest=12))
def test_torques_of_random_trees_equal_the_library(tmp_path_factory, tree):
    """All joint types, mimic joints, springs and armatures among them."""
    assert_tree_agrees(md.load_urdf(tree.urdf), tmp_path_factory.mktemp("tree"))


def assert_loops_agree(graph, folder, compiler="g++"):
    solver = solver_of(graph)
    start, rng = solver.reference(), np.random.default_rng(2)
    states, closed = [], start
    for _ in range(4):  # a motion: each state starts from the one before it
        q = closed[solver.independent_q] + rng.uniform(-0.02, 0.02, len(solver.independent_q))
        closed = solver.close(q, closed)
        states.append((q, *rng.normal(size=(2, len(solver.independent_v)))))
    rows = rows_of("four_bar.cpp", "four_bar", graph, states, folder, compiler, guess=start)
    assert len(rows) == 2 * len(states)
    closed = start
    for tau, coordinates, (q, v, a) in zip(rows[::2], rows[1::2], states, strict=True):
        closed = solver.close(q, closed)
        general = solver.inverse_dynamics(closed, v, a)
        assert np.abs(coordinates - closed).max() <= 1e-11
        tree = md.inverse_dynamics(graph.tree, closed, general.velocities, general.accelerations)
        scale = np.abs(general.projection).max() * np.abs(tree).max()
        assert np.abs(tau - general.tau).max() <= 1e-12 * scale


@needs_compiler
@pytest.mark.parametrize("compiler", COMPILERS)
def test_torques_of_closed_loops_equal_the_general_method(load_robot, tmp_path, compiler):
    assert_loops_agree(load_robot("exoskeleton"), tmp_path, compiler)  # gears, a spring


def test_headers_of_the_examples_are_those_of_the_robots(load_robot):
    """Numbers to the last bits but two: sines differ between processors."""
    number = re.compile(r"-?\d+\.\d*(?:e-?\d+)?")
    for name in ("four_link", "four_bar"):
        written = (EXAMPLES / f"{name}.hpp").read_text("ascii")
        text = load_robot(name).to_cpp(name=name)
        assert number.sub("#", written) == number.sub("#", text)
        ours, theirs = (np.array(number.findall(one), float) for one in (written, text))
        assert np.abs(ours - theirs).max() <= 1e-15 * np.abs(ours).max()


def test_text_and_file_are_the_same_and_replace_a_file(load_robot, tmp_path):
    file = tmp_path / "arm.hpp"
    file.write_text("old")
    assert load_robot("four_link").to_cpp(file, name="arm") == file.read_text("ascii")


def test_what_has_no_model_or_no_namespace_is_refused(load_robot):
    for name in ("", "1arm", "a b", "a__b", "_arm", "a;", 3):
        with pytest.raises(StateError, match="C\\+\\+ identifier"):
            load_robot("four_link").to_cpp(name=name)
    with pytest.raises(StateError, match="no loops; guess="):
        load_robot("four_link").to_cpp(guess=np.zeros(4))
    with pytest.raises(StateError, match="black box"):
        md.load_urdf(ROOT / "urdf/vendor_arm.urdf", BOXED_TOOL).to_cpp()
    bar = load_robot("four_bar")
    with pytest.raises(UnsupportedModelError, match="undetermined, or"):
        replace(bar, independent=("J1",), loop_joints=(), gears=bar.gears).to_cpp()
