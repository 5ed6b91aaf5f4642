"""Every check of a description: URDF's elements, our tags, names that tags refer to, and the whole robot."""
