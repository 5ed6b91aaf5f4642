"""What every lifecycle node shares: transitions, parameters, diagnostics, answers to every request."""
