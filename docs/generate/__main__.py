"""Makes docs/generated/ anew: pictures and tables of the site, by the library itself. `make docs-figures`.

A module here makes what one page shows; it has `make(out: Path)`, which writes files into the folder out.
`python -m docs.generate conventions staleness` makes only these.
"""

import argparse
import platform
import sys
import time
from collections.abc import Sequence
from datetime import datetime, timezone
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).resolve().parent
GENERATED = HERE.parent / "generated"
MODULES = sorted(path.stem for path in HERE.glob("*.py") if not path.stem.startswith("_"))


def main(words: Sequence[str] | None = None) -> int:
    """Make what the named modules make, or everything."""
    parser = argparse.ArgumentParser(prog="python -m docs.generate", description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", help=f"of {', '.join(MODULES)}; default: all")
    chosen = parser.parse_args(words).modules or MODULES
    if unknown := sorted({*chosen} - {*MODULES}):
        parser.error(f"{unknown[0]} is none of {', '.join(MODULES)}")
    GENERATED.mkdir(exist_ok=True)
    for name in chosen:
        begin = time.monotonic()
        import_module(f"docs.generate.{name}").make(GENERATED)
        print(f"{name}: {time.monotonic() - begin:.1f} s", flush=True)
    return 0


def origin() -> str:
    """Return the date and the machine, for tables whose figures depend on them."""
    cpu = next(
        (
            line.partition(":")[2].strip()
            for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    return f"{datetime.now(timezone.utc):%Y-%m-%d}, {cpu}, Python {platform.python_version()}"


if __name__ == "__main__":
    sys.exit(main())
