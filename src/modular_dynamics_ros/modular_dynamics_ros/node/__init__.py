"""What every node about one robot shares."""
