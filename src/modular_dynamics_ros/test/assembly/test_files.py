"""Assemblies, kinds and gaits in files: what is written is read; what cannot be used is named."""

import errno
import os

import numpy as np
import pytest

import modular_dynamics as md
from modular_dynamics.exceptions import GaitError
from modular_dynamics.modular import Assembly
from modular_dynamics.urdf import description_header
from modular_dynamics_ros.assembly.files import (
    LiveAssembly,
    description_of,
    load_assembly,
    load_gait,
    load_types,
    save_assembly,
)
from modular_dynamics_ros.computation.computation import Computation
from modular_dynamics_ros.computation.robot import load_robot
from modular_dynamics_ros.computation.values import ComputationSettings
from modular_dynamics_ros.exceptions import AssemblyFileError

pytestmark = pytest.mark.ros


@pytest.fixture
def assembly():
    return Assembly(("v0", "backbone")).dock("v0", 3, "v1", 4, kind="scout", turn=1)


def test_an_assembly_is_read_as_it_was_written(assembly, tmp_path):
    path = str(tmp_path / "a.YML")
    save_assembly(assembly, path, overwrite=False)
    with pytest.raises(AssemblyFileError, match=r"exists; set overwrite"):
        save_assembly(Assembly(("v0", "backbone")), path, overwrite=False)
    read = load_assembly(path, {}, "walker")
    assert (read, read.name) == (assembly, "walker")
    save_assembly(Assembly(("v0", "scout")), path, overwrite=True)
    assert load_assembly(path, {}, "walker") == Assembly(("v0", "scout"))


@pytest.mark.timeout(60)
def test_what_is_no_regular_file_is_refused_before_it_is_read(assembly, tmp_path):
    path = tmp_path / "it.yaml"
    os.mkfifo(path)
    for read in (
        lambda: load_assembly(str(path), {}, "robot"),
        lambda: load_types([str(path)]),
        lambda: load_gait(str(path)),
    ):
        with pytest.raises((AssemblyFileError, GaitError), match=r"it\.yaml.*, which is a named pipe"):
            read()
    with pytest.raises(
        AssemblyFileError, match="cannot be written: there is something that is no regular file"
    ):
        save_assembly(assembly, str(path), overwrite=True)


@pytest.mark.parametrize("name", ["a" * 300 + ".yaml", "\0.yaml"])
def test_paths_that_no_file_can_have_are_errors_of_files(assembly, tmp_path, name):
    path = f"{tmp_path}/{name}"
    for use in (lambda: save_assembly(assembly, path, True), lambda: load_assembly(path, {}, "r")):
        with pytest.raises(AssemblyFileError) as error:
            use()
        assert len(str(error.value)) < 600
        assert "\0" not in str(error.value)


@pytest.mark.parametrize("failing", ["fsync", "replace"])
def test_a_file_that_cannot_be_replaced_stays_as_it_was(assembly, tmp_path, monkeypatch, failing):
    path = tmp_path / "a.yaml"
    save_assembly(assembly, str(path), overwrite=False)
    before = path.read_text()

    def fail(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, failing, fail)
    for target, overwrite in ((path, True), (tmp_path / "new.yml", False)):
        with pytest.raises(AssemblyFileError, match="cannot be written: No space left on device"):
            save_assembly(Assembly(("v0", "backbone")), str(target), overwrite)
    assert path.read_text() == before
    assert list(tmp_path.iterdir()) == [path]


def test_two_files_with_one_kind_are_refused(root):
    path = str(root / "config/modular/cart.yaml")
    with pytest.raises(AssemblyFileError, match="a second kind 'cart'"):
        load_types([path, path])


def test_a_gait_that_cannot_be_computed_in_time_is_refused(tmp_path):
    path = tmp_path / "fast.yaml"
    path.write_text("kind: coupled_maps\njoints: [v1/bend]\namplitude: 1\nperiod: 0.000001\n")
    with pytest.raises(
        AssemblyFileError, match=r"fast\.yaml: period is 1e-06 s; at least 0\.0001 s is needed"
    ):
        load_gait(str(path))


def snake(count):
    assembly = Assembly(("v0", "backbone"))
    for k in range(1, count):
        assembly = assembly.dock(f"v{k - 1}", 3, f"v{k}", 4, kind="backbone")
    return assembly


def ring():
    """Six modules in a rectangle, each with two joints but the base: ten joints, six conditions."""
    assembly = Assembly(("v0", "backbone"))
    for k, port in enumerate("33223"):
        assembly = assembly.dock(f"v{k}", port, f"v{k + 1}", 4, kind="scout")
    return assembly.dock("v5", 2, "v0", 2)


def test_the_description_is_the_assembly_and_says_since_when():
    assembly = snake(4)
    live = LiveAssembly.of(assembly, 3, 12_000_000_034)
    assert description_header(live.urdf).stamp == 12_000_000_034
    graph = md.load_urdf(live.urdf)
    q = np.array([0.3, -0.2, 0.5])
    expected = md.inverse_dynamics(assembly.graph(), q, q, q)
    np.testing.assert_allclose(md.inverse_dynamics(graph, q, q, q), expected, rtol=1e-12, atol=1e-14)
    assert live.joint_names == graph.joint_names == ("v1/bend", "v2/bend", "v3/bend")
    assert live.root_link == graph.ground.name


def test_what_a_ring_moves_is_passive_so_that_nodes_can_use_it():
    assembly = ring()
    graph = assembly.graph()
    robot = load_robot(description_of(assembly, graph))
    assert robot.closed
    assert robot.joint_names == graph.independent_joint_names
    assert set(robot.passive_names) == set(graph.joint_names) - set(graph.independent_joint_names)
    Computation(robot, ComputationSettings())  # its loops close
