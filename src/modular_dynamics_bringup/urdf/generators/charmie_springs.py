"""Write config/charmie_springs_s4.yaml and charmie_springs_s5.yaml, which CHARMIE's study chooses from.

The rows are computed by the formulas of EN 13906-2 that makers of tension springs compute with, for wires of
the preferred diameters of EN 10270-1. With d wire, D mean coil diameter, n coils:
rate k = G d^4 / (8 D^3 n); largest force F = 0.45 Rm pi d^3 / (8 D), Rm = (2220 - 820 log10(d / mm)) MPa, the
strength of wire SH; free length (n + 1) d + 2 * 0.8 (D - d), coils touching, hooks of 0.8 inner diameters;
initial force 0.1 F. The last two are usual choices. The springs of the paper come first; with d = 2.5 mm,
D = 20 mm for s4 and d = 2 mm, D = 18 mm for s5, the formulas give their initial forces within a tenth.
"""

import argparse
from itertools import product
from math import log10, pi
from pathlib import Path

from .generated_file import FOLDER, written

SHEAR_MODULUS = 81.5e3  # MPa, of patented steel wire
STRESS, INITIAL, HOOK = 0.45, 0.1, 0.8
#: By the paper's spring: its law (section 2), wire and coil that fit it [mm]; wires; coils.
SPRINGS = {
    "s4": ((1380, 0.1055, 27.1), (2.5, 20), ((2.25, 18), (2.5, 20), (2.8, 22), (3.2, 26)), (24, 28, 32)),
    "s5": ((1029, 0.077, 15.1), (2.0, 18), ((1.8, 13), (2.0, 14), (2.25, 16), (2.5, 18)), (18, 22, 26)),
}


def rate(d: float, coil: float, coils: int) -> float:
    """Rate [N/m]; lengths in mm."""
    return SHEAR_MODULUS * d**4 / (8.0 * coil**3 * coils) * 1e3


def largest_force(d: float, coil: float) -> float:
    """Largest force [N]; lengths in mm."""
    return STRESS * (2220.0 - 820.0 * log10(d)) * pi * d**3 / (8.0 * coil)


def free_length(d: float, coil: float, coils: int) -> float:
    """Free length [m]; lengths in mm."""
    return ((coils + 1) * d + 2.0 * HOOK * (coil - d)) * 1e-3


def text_of(name: str) -> str:
    """The rows of a catalogue."""
    (stiffness, length, initial), fitting, wires, numbers = SPRINGS[name]
    lines = [
        f"# Springs that the study chooses {name} from, written by urdf/generators/charmie_springs.py.",
        "# Names: wire [mm] x mean coil diameter [mm] x number of coils.",
        "# stiffness [N/m], free_length [m], initial_force [N], largest_force [N]",
        row("published", stiffness, length, initial, largest_force(*fitting)),
    ]
    for (d, coil), coils in product(wires, numbers):
        most = largest_force(d, coil)
        lines.append(
            row(
                f"{d:g}x{coil}x{coils}",
                rate(d, coil, coils),
                free_length(d, coil, coils),
                INITIAL * most,
                most,
            )
        )
    return "\n".join(lines) + "\n"


def row(name: str, stiffness: float, length: float, initial: float, largest: float) -> str:
    """A row as YAML."""
    law = f"stiffness: {stiffness:.0f}, free_length: {length:.4f}, initial_force: {initial:.1f}"
    return f"{name}: {{{law}, largest_force: {largest:.0f}}}"


def main() -> int:
    """Write both files; with --check only compare. Returns the exit status."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file differs")
    parser.add_argument("--out", type=Path, default=FOLDER.parent / "config", help="folder to write to")
    arguments = parser.parse_args()
    results = [
        written(
            arguments.out / f"charmie_springs_{name}.yaml",
            text_of(name),
            check=arguments.check,
            by="charmie_springs",
        )
        for name in SPRINGS
    ]
    return max(results)


if __name__ == "__main__":
    raise SystemExit(main())
