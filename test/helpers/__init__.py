"""What several test files share, by folders; paths.py: folders of the repository."""
