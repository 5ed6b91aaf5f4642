"""Tables and pictures of the measured figures."""
