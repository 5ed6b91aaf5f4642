"""`make bench`, and commands that compare with Pinocchio, with recorded numbers, or time a node."""
