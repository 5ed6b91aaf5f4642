"""A ROS domain for this process alone."""

import fcntl
import os
import tempfile
from pathlib import Path
from typing import IO

# On Linux these have free ports, as 1 to 100 have, of which the demo draws one for itself.
DOMAINS = range(215, 232)
_reserved: list[IO[str]] = []  # the files stay open, and thereby locked, as long as the process lives


def reserve_ros_domain() -> int:
    """Reserve a ROS domain that no other test process on this machine uses, heard on this machine only.

    The lock on a file in the system's temporary folder is released by the system when the process ends.
    Tests kill processes, and a killed one may leave Fast DDS's shared memory in a state in which another
    waits in it for ever. FASTDDS_BUILTIN_TRANSPORTS is to switch it off, but rmw_fastrtps obeys it only where
    the discovery range is not LOCALHOST: so it is used after all.

    Nor does a participant of this process call another one's readers: where one forgets a killed process
    while the other takes leave, each would wait for the other's lock, for ever.

    Raises:
        RuntimeError: all domains are in use.
    """
    first = os.getpid() % len(DOMAINS)
    for domain in (*DOMAINS[first:], *DOMAINS[:first]):
        path = Path(tempfile.gettempdir()) / f"modular_dynamics_test_domain_{domain}.lock"
        try:
            file = path.open("w")
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            continue  # in use, perhaps by another user
        _reserved.append(file)
        os.environ["ROS_DOMAIN_ID"] = str(domain)
        os.environ["ROS_AUTOMATIC_DISCOVERY_RANGE"] = "LOCALHOST"
        os.environ.pop("ROS_LOCALHOST_ONLY", None)
        os.environ["FASTDDS_BUILTIN_TRANSPORTS"] = "UDPv4"
        for name in ("FASTRTPS", "FASTDDS"):  # Jazzy's, Kilted's
            profiles = str(Path(__file__).with_name("fast_dds.xml"))
            os.environ.setdefault(f"{name}_DEFAULT_PROFILES_FILE", profiles)
        return domain
    raise RuntimeError(f"all ROS domains from {DOMAINS[0]} to {DOMAINS[-1]} are in use by tests")
