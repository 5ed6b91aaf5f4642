"""Pictures by matplotlib (extra ``shell``): the subsystem graph, and torques over time."""
