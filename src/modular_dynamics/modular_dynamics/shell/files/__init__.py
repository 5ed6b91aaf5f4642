"""Files that people name at the command line: reading tables, and what may be written."""
