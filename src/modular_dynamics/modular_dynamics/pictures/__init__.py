"""Pictures by matplotlib (extra ``shell``): the subsystem graph."""
