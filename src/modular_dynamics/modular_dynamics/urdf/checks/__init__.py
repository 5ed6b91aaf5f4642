"""Every check of a description: numbers and names, our tags, and the whole robot."""
