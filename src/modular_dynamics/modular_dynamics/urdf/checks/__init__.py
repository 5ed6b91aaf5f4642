"""Every check of a description: numbers and names, our tags, what tags refer to, and the whole robot."""
