"""Symbolic equations of motion with closed loops by three methods: Schappler, Lilge & Haddadin."""
