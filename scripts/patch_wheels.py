"""Give the CMake files of the ROS wheels the include folders of this interpreter.

The wheels were built in a container whose Python stood in /opt/python/cp3XX-cp3XX, and their exported CMake
targets name its include folder and its NumPy's. CMake refuses a target whose include folder does not exist.
Run by the venv's own Python; running it again changes nothing.
"""

import re
import sys
import sysconfig
from pathlib import Path

import numpy

BUILD_TIME_PYTHON = re.compile(r"/opt/python/cp\d+-cp\d+t?/include/python[\d.]+t?")
BUILD_TIME_NUMPY = re.compile(
    r"/opt/python/cp\d+-cp\d+t?/lib/python[\d.]+t?/site-packages/numpy/_?core/include"
)


def main() -> int:
    """Patch every file below <venv>/share and say how many."""
    python_include = sysconfig.get_path("include")
    numpy_include = numpy.get_include()
    header = Path(python_include, "Python.h")
    if not header.exists():
        print(f"{header} is missing: install Python's headers (Debian, Ubuntu: python3-dev)", file=sys.stderr)
        return 1
    patched = 0
    for path in Path(sys.prefix, "share").glob("**/*.cmake"):
        before = path.read_text(encoding="utf-8")
        after = BUILD_TIME_NUMPY.sub(lambda _: numpy_include, before)
        after = BUILD_TIME_PYTHON.sub(lambda _: python_include, after)
        if after != before:
            path.write_text(after, encoding="utf-8")
            patched += 1
    print(f"{patched} CMake files of the wheels now name {python_include} and {numpy_include}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
