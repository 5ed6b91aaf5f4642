"""Sessions and robots of nodes without DDS."""
