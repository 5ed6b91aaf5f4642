"""Attacks on files of machine code: each is loaded in a process of its own, which must compute what is right.

`attack(kind, seed, count, folder)` damages a file and computes, ``count`` times. The parent of all these
processes has imported the library but loaded no machine code. A process that ends by a signal has died.
`python -m torture.caches`, in test/, prints a table of all kinds.
"""

import json
import os
import pickle
import random
import shutil
import signal
import stat
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from helpers.paths import ROBOTS
from helpers.processes import run_python

#: A process that computes for longer hangs [s].
LONGEST = 120
KINDS = ("kernel", "kernel of another Numba", "torques")
#: Of urdf/four_bar.urdf at the state of `_computation` [N m].
TORQUE = 2.1863733278206157


class Row(NamedTuple):
    """What came of one attack: results that were right and wrong, and processes that raised or died."""

    attack: str
    tried: int
    right: int
    wrong: int
    raised: int
    died: int


def flip_a_bit(file: Path, rng: random.Random) -> None:
    content = bytearray(file.read_bytes())
    content[rng.randrange(len(content))] ^= 1 << rng.randrange(8)
    file.write_bytes(content)


def flip_many_bits(file: Path, rng: random.Random) -> None:
    for _ in range(100):
        flip_a_bit(file, rng)


def cut_short(file: Path, rng: random.Random) -> None:
    os.truncate(file, rng.randrange(file.stat().st_size))


def empty(file: Path, rng: random.Random) -> None:
    os.truncate(file, 0)


def lengthen(file: Path, rng: random.Random) -> None:
    file.write_bytes(file.read_bytes() + rng.randbytes(rng.randrange(1, 1000)))


def fill_with_zeros(file: Path, rng: random.Random) -> None:
    file.write_bytes(bytes(file.stat().st_size))


def overwrite(file: Path, rng: random.Random) -> None:
    file.write_bytes(rng.randbytes(file.stat().st_size))


def put_another_in_its_place(file: Path, rng: random.Random) -> None:
    others = sorted(other for other in file.parent.glob(f"*{file.suffix}") if other != file)
    shutil.copyfile(rng.choice(others), file)


def put_a_folder_in_its_place(file: Path, rng: random.Random) -> None:
    file.unlink()
    file.mkdir()


def put_a_pipe_in_its_place(file: Path, rng: random.Random) -> None:
    file.unlink()
    os.mkfifo(file)


def link_to_itself(file: Path, rng: random.Random) -> None:
    file.unlink()
    file.symlink_to(file)


def let_others_write(file: Path, rng: random.Random) -> None:
    set_a_trap(file).chmod(0o666)


def give_away(file: Path, rng: random.Random) -> None:
    if os.geteuid() == 0:
        os.chown(set_a_trap(file), 1234, 1234)


class _Trap:
    """What a process that reads it from a pickle ends with, which counts as a wrong result."""

    def __reduce__(self) -> tuple[Callable[[int], Any], tuple[int]]:
        return os._exit, (1,)


def set_a_trap(file: Path) -> Path:
    """Content as another user may write it, whose digest is right: only the owner and the mode give it away.

    Returns the file; where ``file`` is the digest beside one of Numba's, that one.
    """
    from modular_dynamics.kernels.numba_support.code_files import digest_of
    from modular_dynamics.kernels.numba_support.compilation import source_stamp

    trap = pickle.dumps(_Trap())
    if file.suffix == ".kernel":
        content = source_stamp().encode() + trap
    else:  # Numba's, with the digest beside
        file = file.with_name(file.name.removesuffix(".sha256"))
        file.write_bytes(trap)
        file.with_name(f"{file.name}.sha256").write_bytes(digest_of(file.name, trap))
        return file
    file.write_bytes(digest_of(file.name, content) + content)
    return file


def remove(file: Path, rng: random.Random) -> None:
    file.unlink()


#: Half of all attempts are flipped bits; the other attacks take turns.
OTHERS: tuple[Callable[[Path, random.Random], None], ...] = (
    flip_many_bits, cut_short, empty, lengthen, fill_with_zeros, overwrite, put_another_in_its_place,
    put_a_folder_in_its_place, put_a_pipe_in_its_place, link_to_itself, let_others_write, give_away, remove,
)  # fmt: skip


def attack(kind: str, seed: int, count: int, folder: Path) -> list[Row]:
    """Damage files of a kind and compute, ``count`` times; the folder is the cache, and filled first."""
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder), "MODULAR_DYNAMICS_QUIET": "1"}
    words = ("-m", "torture.caches", kind)
    for arguments in (("fill",), (seed, count, folder)):
        done = run_python(*words, *arguments, env=environment, cwd=Path(__file__).parents[1])
        if done.returncode != 0:
            raise RuntimeError(f"{kind}: {done.stdout}{done.stderr}")
    tallies: dict[str, Counter[str]] = {}
    for line in done.stdout.splitlines():
        name, outcome = json.loads(line)
        tallies.setdefault(name, Counter())[outcome] += 1
    outcomes = ("right", "wrong", "raised", "died")
    return [
        Row(f"{kind}: {name}", tally.total(), *(tally[outcome] for outcome in outcomes))
        for name, tally in sorted(tallies.items())
    ]


def table(rows: list[Row]) -> str:
    """The rows as text."""
    widths = [max(len(str(row[k])) for row in (Row._fields, *rows)) for k in range(len(Row._fields))]
    lines = [[str(x).ljust(w) for x, w in zip(row, widths, strict=True)] for row in (Row._fields, *rows)]
    return "\n".join("  ".join(line).rstrip() for line in lines)


def _computation(kind: str) -> tuple[Callable[[], Any], Any, str]:
    """What is computed in each process; the right result; files that are damaged."""
    if kind == "kernel of another Numba":
        import numba

        numba.__version__ = "99.0"
    import numpy as np
    from numba import njit

    import modular_dynamics as md
    from modular_dynamics.kernels.numba_support import public_cache
    from modular_dynamics.kernels.numba_support.compilation import kernel
    from modular_dynamics.kernels.row_queue import WORKERS, new_queue, none_at_work

    njit(lambda x: x + 1)(1)  # what the compiler reads in, every process has then
    if kind.startswith("kernel"):

        def are_idle() -> tuple[bool, bool]:
            public_cache._remove_unfit.cache_clear()
            again, busy = kernel(nogil=True)(none_at_work.py_func), new_queue()
            busy[WORKERS] = 1
            return again(new_queue(), 1), again(busy, 1)

        return are_idle, (True, False), "row_queue.none_at_work-*"
    graph = md.load_urdf(ROBOTS / "four_bar.urdf")

    def torques() -> bool:
        result = md.closed_loop_inverse_dynamics(graph, [5.5], [0.2], [0.3], md.assemble(graph).coordinates)
        return bool(np.allclose(result.tau, TORQUE, rtol=1e-9, atol=0.0))

    return torques, True, "steps.branch_signs-*"


def _run_in_a_fork(compute: Callable[[], Any], right: Any) -> str:
    process = os.fork()
    if process == 0:
        signal.alarm(LONGEST)
        try:
            os._exit(0 if compute() == right else 1)
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
        finally:
            os._exit(2)
    code = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    return ("right", "wrong", "raised")[code] if 0 <= code <= 2 else "died"


def _restore(folder: Path, copy: Path) -> None:
    """What was damaged, as it was; the folder itself stays."""
    for file in folder.iterdir():
        if stat.S_ISDIR(file.lstat().st_mode):
            shutil.rmtree(file)
        else:
            file.unlink()
    shutil.copytree(copy, folder, dirs_exist_ok=True)


def _main(kind: str, *arguments: str) -> None:
    compute, right, pattern = _computation(kind)
    if arguments == ("fill",):
        from modular_dynamics.kernels.row_queue import begin, new_queue

        begin(new_queue())  # a file of the same kind that can be put in another's place
        if compute() != right:
            sys.exit("the result is wrong without any attack")
        return
    seed, count, folder = int(arguments[0]), int(arguments[1]), Path(arguments[2])
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as copy:
        shutil.copytree(folder, copy, dirs_exist_ok=True)
        for number in range(count):
            damage = flip_a_bit if number % 2 else OTHERS[number // 2 % len(OTHERS)]
            damage(rng.choice(sorted(folder.rglob(pattern))), rng)
            print(json.dumps([damage.__name__, _run_in_a_fork(compute, right)]), flush=True)
            _restore(folder, Path(copy))


def _print_all(count: int) -> int:
    rows = []
    for kind in KINDS:
        with tempfile.TemporaryDirectory() as folder:
            rows += attack(
                kind, 0, count if kind.startswith("kernel") else max(26, count // 10), Path(folder)
            )
    print(table(rows))
    return int(any(row.wrong or row.raised or row.died for row in rows))


if __name__ == "__main__":
    if len(sys.argv) > 2:
        _main(*sys.argv[1:])
    else:
        sys.exit(_print_all(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
