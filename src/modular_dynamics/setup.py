"""Build by colcon, as ament_python: the ament index, and what setuptools before 61 does not read from pyproject.toml."""

from pathlib import Path
from xml.etree import ElementTree

from setuptools import find_packages, setup

PACKAGE = "modular_dynamics"

setup(
    name=PACKAGE,
    version=ElementTree.parse(Path(__file__).resolve().with_name("package.xml")).findtext("version"),
    packages=find_packages(include=[PACKAGE, f"{PACKAGE}.*"]),
    package_data={PACKAGE: ["py.typed"]},
    data_files=[
        ("share/ament_index/resource_index/packages", [f"resource/{PACKAGE}"]),
        (f"share/{PACKAGE}", ["package.xml"]),
    ],
    zip_safe=False,
)
