"""Robustness tests of nodes and library, by random faults with fixed seeds."""

import sys

from helpers.paths import ROOT

sys.path.append(str(ROOT))  # examples/demo has the processes of nodes
