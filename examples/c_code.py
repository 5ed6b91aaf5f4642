"""Torques without Python: C99 code for one robot, compiled and compared with the library.

Prints:
    arm.c arm.h arm_test.c
    inverse_dynamics: 1318 operations
    inverse_dynamics: ...
"""

import shutil
import subprocess
import tempfile
from pathlib import Path

import modular_dynamics as md

ROBOTS = Path(__file__).resolve().parents[1] / "urdf"

graph = md.load_urdf(ROBOTS / "vendor_arm.urdf", ROBOTS / "vendor_arm_partition.yaml")
with tempfile.TemporaryDirectory() as folder:
    code = graph.export_c(Path(folder) / "arm.c", ["inverse_dynamics"])
    print(code.source.name, code.header.name, code.test.name)
    for name, count in code.operations.items():
        print(f"{name}: {count} operations")
    if shutil.which("gcc") is None:
        print("inverse_dynamics: not compared, gcc is missing")
    else:
        program = Path(folder) / "arm_test"
        subprocess.run(["gcc", "-std=c99", "-O2", code.source, code.test, "-o", program, "-lm"], check=True)
        # inverse_dynamics: largest relative difference ...: ok
        print(subprocess.run([program], check=True, capture_output=True, text=True).stdout, end="")
