"""`make bench` and the studies behind other make targets."""
