"""One robot's dynamics in other languages: C99, CasADi."""
