"""The four-bar by DeNOC matrices: Kumar, Vantmuri, Chittawadigi & Saha."""
