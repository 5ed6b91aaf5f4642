"""python -m modular_dynamics_ros NODE: which node, and signals while it is imported."""

import signal
import subprocess
import sys

import pytest

import modular_dynamics_ros.__main__ as start
from helpers.processes import run_python

pytestmark = pytest.mark.ros

INTERRUPTED = """
import os, signal, sys, time
import modular_dynamics_ros.__main__ as start

def importing(module):
    os.kill(os.getpid(), signal.{0})
    time.sleep(10.0)

start.import_module = importing
sys.argv[1:] = ["dynamics_node"]
start.main()
"""
STARTED = """
import sys, types
import modular_dynamics_ros.__main__ as start

def node():
    print(sys.argv[1:])
    return 3

start.import_module = lambda module: types.SimpleNamespace(main=node)
sys.argv[1:] = ["dynamics_node", "--ros-args"]
sys.exit(start.main())
"""


def run(*words):
    done = run_python(*words, timeout=60)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
def test_a_signal_while_a_node_is_imported_ends_it_in_silence(number):
    assert run("-c", INTERRUPTED.format(number)) == (-signal.Signals[number], "", "")


def test_a_node_has_its_own_arguments_and_exit_code():
    assert run("-c", STARTED) == (3, "['--ros-args']\n", "")


@pytest.mark.parametrize("word", ["--help", "-h"])
def test_help_names_the_nodes(word):
    code, said, complaint = run("-m", "modular_dynamics_ros", word)
    assert (code, complaint) == (0, "")
    assert said.startswith("usage: python -m modular_dynamics_ros NODE ")
    for node in start.NODES:
        assert node in said


@pytest.mark.parametrize(("given", "words"), [((), "which node?"), (("dynamic",), "no node 'dynamic'")])
def test_an_unknown_node_is_processed_with_the_known_ones(given, words):
    code, _, said = run("-m", "modular_dynamics_ros", *given)
    assert code == 2
    assert said.startswith(words)
    assert (
        "assembly_node,dynamics_node,joint_state_player,moveit_payload_node,subsystem_node,torso_reaction_node"
        in said
    )


def test_the_help_of_a_node_ends_in_silence_where_its_reader_has_enough():
    words = [sys.executable, "-m", "modular_dynamics_ros", "dynamics_node", "--help"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == -signal.SIGPIPE
