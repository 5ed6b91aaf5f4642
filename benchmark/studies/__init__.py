"""Commands that compute and draw, and time nothing."""
