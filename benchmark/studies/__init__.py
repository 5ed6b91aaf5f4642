"""Commands of their own: published robots beside Pinocchio, and how late a node answers."""
