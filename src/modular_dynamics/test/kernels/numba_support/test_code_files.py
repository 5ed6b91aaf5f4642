"""Files of machine code: read only as they were written; nothing raises, whatever the disk does."""

import os
import pickle
import random
import resource
import signal
import stat
import threading
import time

import pytest
from numba import config

from helpers.processes import run_python
from modular_dynamics.kernels.numba_support import code_files, notices
from modular_dynamics.kernels.numba_support.code_folder import KERNELS, code_folder, shared_folder

NAME, CONTENT = "some.kernel", random.Random(0).randbytes(2000)


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    """The user's folder, with one file."""
    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "base"))
    monkeypatch.setattr(notices, "_said", {})
    code_files.write(KERNELS, NAME, CONTENT)
    assert notices.not_kept() is None
    return code_folder(KERNELS)


def read():
    return code_files.read(KERNELS, NAME)


def test_what_is_written_is_read(folder):
    assert read() == CONTENT
    assert stat.S_IMODE((folder / NAME).stat().st_mode) == 0o600
    assert code_files.read(KERNELS, "other.kernel") is None
    assert notices._said == {}


def test_every_flipped_bit_and_every_length_is_noticed(folder):
    whole = (folder / NAME).read_bytes()
    for position in range(len(whole)):
        damaged = bytearray(whole)
        damaged[position] ^= 1 << position % 8
        (folder / NAME).write_bytes(damaged)
        assert read() is None
        (folder / NAME).write_bytes(whole[:position])
        assert read() is None
    assert "some.kernel is damaged, and is compiled anew" in notices._said["not used"]
    code_files.write(KERNELS, NAME, CONTENT)
    assert read() == CONTENT


def test_a_file_under_another_name_is_not_read(folder):
    (folder / NAME).rename(folder / "other.kernel")
    assert code_files.read(KERNELS, "other.kernel") is None


def test_pipes_folders_and_files_without_end_are_not_read(folder, monkeypatch):
    (folder / NAME).unlink()
    os.mkfifo(folder / NAME)
    assert read() is None
    (folder / NAME).unlink()
    (folder / NAME).mkdir()
    assert read() is None
    code_files.write(KERNELS, NAME, CONTENT)
    assert notices.not_kept()
    (folder / NAME).rmdir()
    (folder / NAME).touch()
    os.truncate(folder / NAME, 1 << 40)
    assert read() is None


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_to_is_not_read_but_replaced(folder, mode):
    (folder / NAME).chmod(mode)
    assert read() is None
    assert "chmod go-w" in notices._said["not used"]
    code_files.write(KERNELS, NAME, CONTENT)
    assert read() == CONTENT


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
@pytest.mark.parametrize("what", [NAME, "."])
def test_nothing_of_another_user_is_read(folder, what):
    os.chown(folder / what, 1234, 1234)
    assert read() is None
    assert "belongs to user 1234" in notices._said["not used"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root becomes another user")
def test_files_of_root_are_read_by_all_where_root_lets_them(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1234)
    assert code_folder(KERNELS) != folder == shared_folder(code_folder(KERNELS))
    assert read() == CONTENT
    folder.chmod(0o777)
    assert read() is None
    assert "others may write" in notices._said["not used"]


def test_a_full_disk_a_folder_that_was_removed_and_a_file_in_its_place(folder, tmp_path, capsys, monkeypatch):
    monkeypatch.setenv(notices.QUIET_VARIABLE, "0")
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, usual[1]))
    try:
        code_files.write(KERNELS, "other.kernel", CONTENT)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
        signal.signal(signal.SIGXFSZ, handler)
    assert "File too large" in capsys.readouterr().err
    assert [file.name for file in folder.iterdir()] == [NAME]  # no part of it is left
    (folder / NAME).unlink()
    folder.rmdir()
    assert read() is None
    code_files.write(KERNELS, NAME, CONTENT)
    assert read() == CONTENT
    monkeypatch.setattr(config, "CACHE_DIR", str(folder / NAME))
    assert read() is None
    code_files.write(KERNELS, NAME, CONTENT)
    assert capsys.readouterr().err == ""  # said once


def test_who_writes_at_once_leaves_one_whole_file(folder):
    def write_often():
        for _ in range(50):
            code_files.write(KERNELS, NAME, CONTENT)

    threads = [threading.Thread(target=write_often) for _ in range(4)]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        assert read() == CONTENT
    assert [file.name for file in folder.iterdir()] == [NAME]
    assert notices.not_kept() is None


def test_what_a_killed_process_left_is_removed_later(folder):
    program = (
        "import os, signal\n"
        "from modular_dynamics.kernels.numba_support import code_files\n"
        "from modular_dynamics.kernels.numba_support.code_folder import KERNELS\n"
        "os.replace = lambda *args, **options: os.kill(os.getpid(), signal.SIGKILL)\n"
        "code_files.write(KERNELS, 'some.kernel', b'new')\n"
    )
    done = run_python("-c", program, env={**os.environ, "NUMBA_CACHE_DIR": config.CACHE_DIR})
    assert done.returncode == -signal.SIGKILL
    (left,) = [file for file in folder.iterdir() if file.name != NAME]
    assert read() == CONTENT
    code_files.write(KERNELS, "other.kernel", CONTENT)
    assert left.exists()  # it may be another process's that writes now
    old = time.time() - 2.0 * code_files.LEFTOVER_AGE
    os.utime(left, (old, old))
    code_files.write(KERNELS, "other.kernel", CONTENT)
    assert not left.exists()


class _Bomb:
    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return os.mkdir, (self.marker,)


#: Loads what it can and prints 1; with another version of Numba where that is asked for.
PROGRAM = """
import sys
import numba
numba.__version__ = sys.argv[1] or numba.__version__
from modular_dynamics.kernels.row_queue import new_queue, none_at_work
print(int(none_at_work(new_queue(), 1)))
"""


@pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")
@pytest.mark.parametrize("version", ["", "99.0"])
@pytest.mark.parametrize("where", ["file", "folder"])
def test_a_pickle_that_others_could_have_written_is_not_read(tmp_path, version, where):
    base, marker = tmp_path / "cache", tmp_path / "marker"
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(base), notices.QUIET_VARIABLE: "0"}

    def run():
        done = run_python("-c", PROGRAM, version, env=environment)
        assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr
        return done.stderr

    assert "others may write" not in run()
    bomb = pickle.dumps(_Bomb(str(marker)))
    for file in [file for file in base.rglob("*none_at_work*") if file.suffix != ".sha256"]:
        content = (version or "0" * 20).encode() + bomb
        digest = code_files.digest_of(file.name, bomb if version else content)
        file.write_bytes(bomb if version else digest + content)
        if version:
            file.with_name(f"{file.name}.sha256").write_bytes(digest)
        if where == "file":
            file.chmod(0o666)
    if where == "folder":
        next(base.iterdir()).chmod(0o777)
    assert "others may write" in run()
    assert not marker.exists()
