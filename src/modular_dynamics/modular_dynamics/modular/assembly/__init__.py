"""Assemblies of modules, and the graphs of subsystems that they are."""
