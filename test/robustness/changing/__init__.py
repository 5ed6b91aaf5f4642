"""Tests of robots that change or are divided over several nodes, and the judge of what these answer."""
