"""`graph.export_c()`: strictly compiled, equal to the library at states of its own and of the tests."""

import errno
import os
import re
from dataclasses import replace
from xml.sax.saxutils import escape

import numpy as np
import pytest
from hypothesis import given

import modular_dynamics as md
from helpers.c_compiler import CFunctions, assert_agrees, called_functions, compiled, needs_gcc, run
from helpers.oracles.pinocchio_tree import PinocchioTree
from helpers.random_examples.examples import examples
from helpers.random_examples.trees import random_trees
from helpers.robots.urdf_text import inertial, joint, robot
from helpers.tree_dynamics import EXPORTED, assert_close, random_states
from modular_dynamics.export import tree

TORQUES = EXPORTED[:4]
#: Floating, the others' massless root links could accelerate at will.
ROBOTS = [
    ("four_link", False, EXPORTED),
    ("vendor_arm", True, EXPORTED),
    ("charmie", False, TORQUES),
    ("branched_38dof", True, TORQUES),
]


@needs_gcc
@pytest.mark.slow
@pytest.mark.parametrize(("name", "floating", "functions"), ROBOTS)
def test_robots_equal_the_library(load_robot, tmp_path, name, floating, functions):
    exported = load_robot(name, floating_base=floating).export_c(tmp_path / f"{name}.c", functions)
    assert_agrees(exported, functions)


@needs_gcc
@pytest.mark.slow
@examples(12)
@given(tree=random_trees(largest=12))
def test_random_trees_equal_the_library(tmp_path_factory, tree):
    """All joint types, mimic joints and branches among them."""
    graph = md.load_urdf(tree.urdf)
    q, v, a = tree.state(graph)
    M = md.mass_matrix(graph, q)
    functions = EXPORTED if np.linalg.cond(M) < 1e8 else (*TORQUES, EXPORTED[-1])
    exported = graph.export_c(tmp_path_factory.mktemp("tree") / "tree.c", functions)
    assert_agrees(exported, functions)
    c = CFunctions(exported)
    tau = md.inverse_dynamics(graph, q, v, a)
    terms = max(np.abs(x).max() for x in (tau, md.nonlinear_effects(graph, q, v), M @ a))
    assert np.abs(c.call("inverse_dynamics", graph.nv, q, v, a)[1] - tau).max() <= 1e-14 * terms
    if functions is EXPORTED:
        accelerations = c.call("forward_dynamics", graph.nv, q, v, tau)[1]
        residual = np.abs(M @ (accelerations - a)).max()
        assert residual <= 1e-12 * (np.abs(M).max() * np.abs(a).max() + np.abs(tau).max())


@needs_gcc
def test_accelerations_equal_pinocchio(load_robot, tmp_path):
    graph = load_robot("four_link")
    c = CFunctions(graph.export_c(tmp_path / "robot.c", "forward_dynamics"))
    for q, v, tau in zip(*random_states(graph, 5, 4), strict=True):
        status, a = c.call("forward_dynamics", graph.nv, q, v, tau)
        assert status == 0
        assert_close(a, PinocchioTree(graph).forward_dynamics(q, v, tau), 1e-11)


HOSTILE = ("*/ int x; /*", "a\nb", "\\", "??/", "9 lives", "ärm", "arm", "a.b", "a b", '"', "// x", "int")


def chain(names, name="chain"):
    """A chain of hinges with these names, in a robot with this name."""
    body = inertial(1.0, (0.1, 0.2, 0.3), np.diag([0.1, 0.2, 0.15]))
    links = [f'<link name="l{k}">{body if k else ""}</link>' for k in range(len(names) + 1)]
    joints = [
        joint(name, "continuous", f"l{k}", f"l{k + 1}", (0.1, 0, 0.2), axis=(0, 1, 0) if k % 2 else (0, 0, 1))
        for k, name in enumerate(names)
    ]
    return robot(name, [*links, *joints])


@needs_gcc
def test_names_are_arbitrary_text(tmp_path):
    escaped = [escape(name, {'"': "&quot;", "\n": "&#10;"}) for name in HOSTILE]
    graph = md.load_urdf(chain(escaped, escaped[0]))
    assert graph.joint_names == HOSTILE
    exported = graph.export_c(tmp_path / "9-arm.c", ["inverse_dynamics"])
    assert_agrees(exported, ["inverse_dynamics"])
    text = exported.header.read_text("ascii")
    assert "int robot_9_arm_inverse_dynamics(" in text
    assert "<U+002A>/ int x; /<U+002A>" in text
    names = re.findall(r"(ROBOT_9_ARM_V_\w+) = ", text)
    assert len(names) == len(set(names)) == len(HOSTILE)


@needs_gcc
def test_bad_numbers_are_reported_and_give_no_number(load_robot, tmp_path):
    graph = load_robot("vendor_arm", floating_base=True)
    c = CFunctions(graph.export_c(tmp_path / "arm.c"))
    q, v, a = (rows[0] for rows in random_states(graph, 1))
    for name, vectors in (("inverse_dynamics", (q, v, a)), ("forward_dynamics", (q, v, a))):
        for which in range(3):
            for bad in (np.nan, np.inf, -np.inf):
                changed = [x.copy() for x in vectors]
                changed[which][-1] = bad
                status, result = c.call(name, graph.nv, *changed)
                assert (status, np.isnan(result).all()) == (1, True)
        huge, result = c.call(name, graph.nv, q, 1e200 * v, a)
        assert (huge, np.isnan(result).all()) == (2, True)
    q[3:7] = 1e-7
    status, M = c.call("mass_matrix", (graph.nv, graph.nv), q)
    assert (status, np.isnan(M).all()) == (1, True)


@needs_gcc
def test_many_turns_lose_no_digits(tmp_path):
    """The offset of a mimic joint would lose digits if it were added to a large angle."""
    mimic = joint("follower", "continuous", "l2", "tip", (0, 0.1, 0), axis=(1, 0, 0))
    mimic = mimic.replace("</joint>", '<mimic joint="j0" multiplier="-1" offset="0.3"/></joint>')
    tip = f'<link name="tip">{inertial(1.0, (0.1, 0, 0), np.eye(3))}</link>'
    graph = md.load_urdf(chain(["j0", "j1"]).replace("</robot>", f"{tip}{mimic}</robot>"))
    c = CFunctions(graph.export_c(tmp_path / "wheels.c"))
    q, v = np.array([54321.0, -77777.0]), np.array([0.3, -0.4])
    for name in ("inverse_dynamics", "forward_dynamics"):
        expected = getattr(md, name)(graph, q, v, v)
        assert np.abs(c.call(name, 2, q, v, v)[1] - expected).max() <= 1e-14 * np.abs(expected).max()


@needs_gcc
def test_the_test_program_notices_wrong_code(load_robot, tmp_path):
    exported = load_robot("four_link").export_c(tmp_path / "robot.c", ["gravity_torque"])
    text = exported.source.read_text()
    exported.source.write_text(text.replace("g[1] = v", "g[1] = -v", 1))
    finished = run(compiled(exported))
    assert finished.returncode == 1
    assert finished.stdout.endswith("FAILED\n")


def test_nothing_is_written_that_differs_from_the_library(load_robot, tmp_path, monkeypatch):
    """As where the library has a term that the program lacks."""
    graph = load_robot("four_link")
    other = replace(
        tree.FUNCTIONS["nonlinear_effects"], library=lambda *state: md.nonlinear_effects(*state) + 1e-9
    )
    monkeypatch.setitem(tree.FUNCTIONS, "nonlinear_effects", other)
    with pytest.raises(md.UnsupportedModelError, match="program of nonlinear_effects of 'four_link' differs"):
        graph.export_c(tmp_path / "arm.c", ["nonlinear_effects"])
    assert list(tmp_path.iterdir()) == []


@needs_gcc
def test_fast_math_is_refused_and_only_sin_and_cos_are_called(load_robot, tmp_path):
    exported = load_robot("four_link").export_c(tmp_path / "robot.c", EXPORTED)
    with pytest.raises(AssertionError, match="compile without -ffast-math"):
        compiled(exported, "-ffast-math")
    assert called_functions(exported) == {"sin", "cos"}


def test_files_that_cannot_all_be_written_stay_as_they_were(load_robot, tmp_path, monkeypatch):
    load_robot("four_link").export_c(tmp_path / "arm.c", ["nonlinear_effects"])
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    calls = []

    def full_disk(_descriptor):
        calls.append(1)
        if len(calls) == 3:
            raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(os, "fsync", full_disk)
    with pytest.raises(OSError, match="no space left"):
        load_robot("four_link").export_c(tmp_path / "arm.c", ["mass_matrix"])
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_what_was_written_is_returned(load_robot, tmp_path):
    exported = load_robot("four_link").export_c(tmp_path / "my-arm.c", ["mass_matrix", "nonlinear_effects"])
    names = [path.name for path in (exported.source, exported.header, exported.test)]
    assert (exported.prefix, names) == ("my_arm", ["my-arm.c", "my-arm.h", "my-arm_test.c"])
    assert list(exported.operations) == ["nonlinear_effects", "mass_matrix"]
    assert "MY_ARM_NV 4 " in exported.header.read_text()


@needs_gcc
def test_poses_and_jacobians_of_links(load_robot, tmp_path):
    graph = load_robot("vendor_arm", floating_base=True)
    links = (graph.links[-1], graph.links[0], graph.links[5])
    exported = graph.export_c(tmp_path / "arm.c", ["jacobian", "frame_poses"], links)
    assert_agrees(exported, ["frame_poses", "jacobian"])
    c = CFunctions(exported)
    q = random_states(graph, 1, 5)[0][0]
    poses = md.frame_poses(graph, q, links)
    assert np.abs(c.call("frame_poses", (3, 4, 4), q)[1] - poses).max() <= 1e-14 * np.abs(poses).max()
    J = np.array([md.jacobian(graph, q, link) for link in links])
    assert np.abs(c.call("jacobian", (3, 6, graph.nv), q)[1] - J).max() <= 1e-14 * np.abs(J).max()


@pytest.mark.parametrize(
    ("path", "functions", "links", "message"),
    [
        ("arm", "mass_matrix", (), r"'arm' cannot be the C file's name: NAME\.c is needed"),
        ('a".c', "mass_matrix", (), "cannot be the C file's name"),
        ("none/arm.c", "mass_matrix", (), r"none' is no folder that arm\.c can be written to"),
        ("arm.c", ["rnea"], (), "no function 'rnea'; its functions: inverse_dynamics, nonlinear_effects"),
        ("arm.c", [], (), "of no functions; its functions"),
        ("arm.c", 3, (), "functions is 3; a sequence of names is needed"),
        ("arm.c", [["mass_matrix"]], (), r"functions is \[\['mass_matrix'\]\]; a sequence of names"),
        ("arm.c", "jacobian", (), "jacobian without links=; 'frame_poses' and 'jacobian' are of links"),
        ("arm.c", "mass_matrix", ("link_1",), "links= without a function of links"),
        ("arm.c", "jacobian", "link_1", "links is 'link_1'; a sequence of link names is needed"),
        ("arm.c", "frame_poses", ("nose",), "no link 'nose' in"),
    ],
)
def test_errors_say_what_is_needed(load_robot, tmp_path, path, functions, links, message):
    with pytest.raises(md.StateError, match=message):
        load_robot("four_link").export_c(tmp_path / path, functions, links)
    with pytest.raises(md.StateError, match=r"the path of the C file is 3; text such as 'folder/NAME\.c'"):
        load_robot("four_link").export_c(3)
    assert list(tmp_path.iterdir()) == []


def test_unsupported_models_are_refused(boxed_arm, tmp_path):
    with pytest.raises(md.StateError, match="black boxes are"):
        boxed_arm.export_c(tmp_path / "arm.c", ["mass_matrix"])
    with pytest.raises(md.UnsupportedModelError, match="no moving joints"):
        md.load_urdf('<robot name="rock"><link name="rock"/></robot>').export_c(tmp_path / "rock.c")
    assert list(tmp_path.iterdir()) == []
