"""Which folder keeps machine code, and from which none is read: it is executed."""

import os
import stat

import pytest
from numba import config

from modular_dynamics.kernels.numba_support.code_folder import (
    GENERATED,
    KERNELS,
    UnusableError,
    code_folder,
    folder_in_use,
    opened,
)

NAME = f"modular_dynamics-{os.geteuid()}"


@pytest.fixture(autouse=True)
def nothing_is_set(monkeypatch, tmp_path):
    for name in ("MODULAR_DYNAMICS_CACHE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(config, "CACHE_DIR", "")
    monkeypatch.setenv("HOME", str(tmp_path))


def test_the_folder_is_below_the_first_that_is_set(monkeypatch, tmp_path):
    assert code_folder(KERNELS) == code_folder(GENERATED) == tmp_path / ".cache" / NAME
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert code_folder(KERNELS).parent.as_posix() == "/xdg"
    monkeypatch.setenv("MODULAR_DYNAMICS_CACHE", "/ours")
    assert code_folder(KERNELS).parent.as_posix() == "/ours"
    monkeypatch.setattr(config, "CACHE_DIR", "/numba")
    assert code_folder(KERNELS).parent.as_posix() == "/numba"
    assert code_folder(GENERATED).parent.as_posix() == "/ours"


def test_relative_folders_are_refused_and_that_of_xdg_ignored(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    assert code_folder(KERNELS) == tmp_path / ".cache" / NAME
    monkeypatch.setattr(config, "CACHE_DIR", "here")
    with pytest.raises(UnusableError, match="NUMBA_CACHE_DIR is 'here': it must be an absolute path"):
        code_folder(KERNELS)


@pytest.mark.parametrize("home", ["", "/nonexistent/home", "here"])
def test_no_home_directory_is_made(monkeypatch, home):
    monkeypatch.setenv("HOME", home)
    with pytest.raises(UnusableError, match="no home directory: NUMBA_CACHE_DIR may name another"):
        folder_in_use(KERNELS)


@pytest.mark.parametrize("umask", [0o000, 0o002, 0o022, 0o077])
def test_only_this_user_may_write_to_a_folder_that_is_made(umask):
    usual = os.umask(umask)
    try:
        folder = folder_in_use(KERNELS)
    finally:
        os.umask(usual)
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("mode", [0o720, 0o702, 0o777, 0o1777])
def test_a_folder_that_others_may_write_to_is_refused(mode):
    folder = folder_in_use(KERNELS)
    folder.chmod(mode)
    with (
        pytest.raises(UnusableError, match=r"others may write to .* remove it, or chmod go-w"),
        opened(folder),
    ):
        pass


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives folders away")
def test_a_folder_of_another_user_is_refused_also_through_a_link(tmp_path):
    folder = folder_in_use(KERNELS)
    os.chown(folder, 1234, 1234)
    (tmp_path / "link").symlink_to(folder)
    for path in (folder, tmp_path / "link"):
        with pytest.raises(UnusableError, match=r"belongs to user 1234.* chown"), opened(path):
            pass
