"""Random robots and numbers for hypothesis, and how many examples are drawn."""
