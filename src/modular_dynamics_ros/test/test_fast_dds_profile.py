"""Which Fast DDS profile the nodes of subsystems get."""

from pathlib import Path

import pytest
from ament_index_python.packages import PackageNotFoundError

from modular_dynamics_ros import fast_dds_profile as module
from modular_dynamics_ros.fast_dds_profile import PROFILES, quick_discovery_variables

pytestmark = pytest.mark.ros


@pytest.fixture(autouse=True)
def without_profile(monkeypatch):
    for name in PROFILES:
        monkeypatch.delenv(name, raising=False)


def test_the_profile_is_that_of_the_bringup():
    ((name, path),) = quick_discovery_variables().items()
    assert name == "FASTRTPS_DEFAULT_PROFILES_FILE"
    assert Path(path).name == "fast_dds_quick_discovery.xml"
    assert "throughputController" in Path(path).read_text(encoding="utf-8")


@pytest.mark.parametrize("name", PROFILES)
def test_a_profile_of_the_user_counts(monkeypatch, name):
    monkeypatch.setenv(name, "/own.xml")
    assert quick_discovery_variables() == {}


def test_nodes_start_without_the_bringup(monkeypatch):
    def absent(package):
        raise PackageNotFoundError(package)

    monkeypatch.setattr(module, "get_package_share_directory", absent)
    assert quick_discovery_variables() == {}
