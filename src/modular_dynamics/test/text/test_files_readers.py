"""Files that users name: what is no regular file, too large or no text is refused before it is read."""

import os

import pytest

from modular_dynamics.exceptions import ModularDynamicsError
from modular_dynamics.loops import read_rules
from modular_dynamics.modular import IncidenceMatrix, gaits, read_module_type
from modular_dynamics.text.sizes import MAX_YAML_BYTES

YAML = {
    "matrix": IncidenceMatrix.from_yaml,
    "module type": read_module_type,
    "gait": gaits.load,
    "rules": read_rules,
}


@pytest.mark.timeout(60)
@pytest.mark.parametrize("read", YAML.values(), ids=YAML)
def test_what_is_no_regular_file(read, tmp_path):
    pipe, device = tmp_path / "pipe", tmp_path / "device"
    os.mkfifo(pipe)
    device.symlink_to("/dev/zero")
    for path, kind in ((pipe, "a named pipe"), (device, "a device"), (tmp_path, "a folder")):
        with pytest.raises(ModularDynamicsError, match=f"no .* at .*, which is {kind}") as error:
            read(path)
        assert str(path) in str(error.value)


@pytest.mark.parametrize("read", YAML.values(), ids=YAML)
def test_a_file_that_is_too_large_is_refused_with_both_sizes(read, tmp_path):
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(10**9)  # without a block on the disk
    with pytest.raises(
        ModularDynamicsError, match=f"has 1000000000 bytes; at most {MAX_YAML_BYTES} are accepted"
    ):
        read(path)


def test_refused_files_are_closed(tmp_path):
    count = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        with pytest.raises(ModularDynamicsError):
            gaits.load(tmp_path)
    assert len(os.listdir("/proc/self/fd")) == count
