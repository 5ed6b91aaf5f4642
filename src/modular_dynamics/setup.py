"""Build by colcon, as ament_python: the package and its ament index entry. pip reads pyproject.toml."""

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from setuptools import Distribution, find_packages, setup

PACKAGE = "modular_dynamics"
COMMAND = f"{PACKAGE}_command"


class WithoutPyproject(Distribution):
    """Reads no pyproject.toml: colcon cannot parse its requires-python with the setuptools it needs."""

    def parse_config_files(self, _filenames: Any = None, ignore_option_errors: bool = False) -> None:
        super().parse_config_files(["setup.cfg"], ignore_option_errors)


setup(
    distclass=WithoutPyproject,
    name=PACKAGE,
    version=ElementTree.parse(Path(__file__).resolve().with_name("package.xml")).findtext("version"),
    packages=find_packages(include=[PACKAGE, f"{PACKAGE}.*", COMMAND]),
    package_data={PACKAGE: ["py.typed", "modular/modules/shipped/*.yaml"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{PACKAGE}"]),
        (f"share/{PACKAGE}", ["package.xml"]),
    ],
    entry_points={"console_scripts": [f"modular-dynamics = {COMMAND}:main"]},
    zip_safe=False,
)
