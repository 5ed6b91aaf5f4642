"""`make bench`, three timings of their own, and the studies behind other make targets."""
