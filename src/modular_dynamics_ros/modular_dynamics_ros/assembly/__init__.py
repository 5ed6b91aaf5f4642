"""assembly_node: module assemblies, live."""
