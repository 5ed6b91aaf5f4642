"""One subsystem of a robot on its own: its part of the graph, its computation, what belongs to one stamp."""
