"""Assemblies, kinds and gaits in files: what is written is read; what cannot be used is named."""

import os

import pytest

from modular_dynamics.exceptions import AssemblyError, UnknownNameError
from modular_dynamics.modular import Assembly
from modular_dynamics_ros.assembly.files import load_assembly, load_gait, load_types, save_assembly
from modular_dynamics_ros.exceptions import AssemblyFileError

pytestmark = pytest.mark.ros


@pytest.fixture
def assembly():
    return Assembly(("v0", "backbone")).dock("v0", 3, "v1", 4, kind="scout", turn=1)


@pytest.mark.parametrize("name", ["a.yaml", "a.csv", "a.YML"])
def test_an_assembly_is_read_as_it_was_written(assembly, tmp_path, name):
    path = str(tmp_path / name)
    save_assembly(assembly, path, overwrite=False)
    with pytest.raises(AssemblyFileError, match=r"exists; set overwrite"):
        save_assembly(Assembly(("v0", "backbone")), path, overwrite=False)
    read = load_assembly(path, {}, "walker")
    assert (read, read.name) == (assembly, "walker")
    save_assembly(Assembly(("v0", "scout")), path, overwrite=True)
    assert load_assembly(path, {}, "walker") == Assembly(("v0", "scout"))


@pytest.mark.parametrize("name", ["a.txt", "a", ""])
def test_other_formats_are_refused(assembly, tmp_path, name):
    for use in (lambda path: save_assembly(assembly, path, True), lambda path: load_assembly(path, {}, "r")):
        with pytest.raises(AssemblyFileError, match=r"\.yaml or \.csv"):
            use(str(tmp_path / name))


def test_a_file_that_is_none_is_told_from_an_assembly_that_cannot_be(assembly, tmp_path):
    path = tmp_path / "a.csv"
    with pytest.raises(AssemblyFileError):
        load_assembly(str(path), {}, "r")
    path.write_text("no, matrix\n")
    with pytest.raises(AssemblyFileError):
        load_assembly(str(path), {}, "r")
    text = assembly.incidence_matrix().to_csv()
    path.write_text(text.replace("scout", "cube"))
    with pytest.raises((AssemblyError, UnknownNameError), match="cube"):
        load_assembly(str(path), {}, "r")
    with pytest.raises(AssemblyFileError, match="cannot be written"):
        save_assembly(assembly, str(tmp_path / "nowhere" / "a.csv"), overwrite=False)


def test_kinds_and_gaits(root, tmp_path):
    assert load_gait("", 3) is None
    assert load_gait(str(root / "config/gaits/chaotic_snake.yaml"), -1).mapping()["seed"] == 8
    assert load_gait(str(root / "config/gaits/chaotic_snake.yaml"), 3).mapping()["seed"] == 3
    snake = load_gait(str(root / "config/gaits/snake.yaml"), 3)  # it has no seed
    assert snake.joint_names[0] == "v1/bend"
    with pytest.raises(AssemblyFileError, match="nowhere"):
        load_types([str(tmp_path / "nowhere.yaml")])


@pytest.mark.timeout(60)
def test_a_named_pipe_is_refused_before_it_is_opened(tmp_path):
    pipe = tmp_path / "pipe.yaml"
    os.mkfifo(pipe)
    with pytest.raises(AssemblyFileError, match="named pipe; a regular file is needed"):
        load_assembly(str(pipe), {}, "robot")
    with pytest.raises(AssemblyFileError, match="named pipe; a regular file is needed"):
        save_assembly(Assembly(("v0", "backbone")), str(pipe), overwrite=True)
