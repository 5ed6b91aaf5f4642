"""Draw the gaits of config/gaits/, and print which couplings synchronise a ring of maps (docs/gaits.md).

python -m benchmark.studies.gaits [--out out/modular/gaits.png]
"""

import argparse
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes

from modular_dynamics.modular import gaits
from papers.modular_robots.synchronisation import transverse_exponents

mpl.use("Agg")  # pictures go to files: no display is needed
from matplotlib import pyplot as plt

ROOT = Path(__file__).resolve().parents[2]
#: Title, and how long it is drawn [s].
FILES = {
    "snake": ("sine: a wave along the body", 8.0),
    "chaotic_snake": ("coupled_maps: chaos, synchronised after some seconds", 24.0),
    "quadruped": ("oscillators: a trot out of a random start", 4.0),
}
COUPLINGS = (0.1, 0.3, 0.4, 0.45, 0.55, 0.6, 0.7, 0.8, 0.9)
JOINTS, SETTLED, COUNTED = 4, 1500, 500


def main(arguments: list[str] | None = None) -> int:
    """Print, draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "modular" / "gaits.png")
    options = parser.parse_args(arguments)
    print(f"{JOINTS} maps on a ring, a = 4: largest transverse exponent, and the median spread of x from")
    print("beside the synchronised state (seed 0)\ncoupling  exponent  spread  synchronised")
    for coupling in COUPLINGS:
        exponent, spread = synchronisation(coupling)
        print(f"{coupling:8.2f} {exponent:9.3f} {spread:7.3f}  {'yes' if spread < 1e-9 else 'no'}")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    draw(options.out)
    print(f"Drawn in {options.out}")
    return 0


def synchronisation(coupling: float) -> tuple[float, float]:
    """The largest transverse exponent, and the median spread after a start that is nearly synchronised."""
    rng = np.random.default_rng(0)
    start = 0.2 + 0.6 * rng.random() + 1e-9 * rng.random(JOINTS)
    names = tuple(f"j{k}" for k in range(JOINTS))
    maps = gaits.CoupledMaps(names, 1.0, 1.0, coupling=coupling, initial=start.tolist())
    spread = np.ptp(maps.iterates(SETTLED + COUNTED)[SETTLED:], axis=1)
    return float(transverse_exponents(JOINTS, coupling).max()), float(np.median(spread))


def draw(path: Path) -> None:
    """Positions over time, one panel for each file."""
    with plt.rc_context({"font.size": 9, "axes.spines.top": False, "axes.spines.right": False}):
        figure, panels = plt.subplots(len(FILES), figsize=(10, 8), layout="constrained")
        for axes, (name, (title, duration)) in zip(panels, FILES.items(), strict=True):
            _panel(axes, gaits.load(ROOT / "config" / "gaits" / f"{name}.yaml"), duration)
            axes.set_title(f"{title} (config/gaits/{name}.yaml)", loc="left")
        panels[-1].set_xlabel("time [s]")
        figure.savefig(path, dpi=110)
        plt.close(figure)


def _panel(axes: Axes, gait: gaits.Gait, duration: float) -> None:
    times = np.linspace(0.0, duration, 1601)
    lines = axes.plot(times, gait.states(times).q)
    for line, width in zip(lines, np.linspace(4.0, 1.0, len(lines)), strict=True):
        line.set_linewidth(width)  # so that joints that move together are all seen
    axes.legend(lines, gait.joint_names, loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False)
    axes.set_ylabel("position [rad]")


if __name__ == "__main__":
    raise SystemExit(main())
