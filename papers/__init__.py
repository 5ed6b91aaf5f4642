"""What reproduces tables and figures of the papers, and methods that only a paper needs: README.md."""
