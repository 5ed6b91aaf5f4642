"""The shipped module types, also where the package is built and installed."""

from pathlib import Path

from helpers.paths import ROOT
from modular_dynamics import modular

SHIPPED = sorted((Path(modular.__file__).parent / "modules/shipped").glob("*.yaml"))


def test_each_file_holds_the_type_of_its_name():
    assert [path.stem for path in SHIPPED] == list(modular.shipped_types())
    assert {"backbone", "block", "scout", "slider"} <= set(modular.shipped_types())


def test_cubes_of_one_edge_dock_at_their_faces():
    for kind in modular.shipped_types().values():
        assert kind.cell_size == 0.09
        assert [port.number for port in kind.ports.values()] == [2, 3, 4, 5]


def test_the_files_are_in_what_is_installed():
    sources = (ROOT / "src/modular_dynamics/modular_dynamics/modular/modules/shipped").glob("*.yaml")
    assert [path.name for path in SHIPPED] == sorted(path.name for path in sources)
