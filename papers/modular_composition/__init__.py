"""Silva & Adorno, "Dynamic Modeling of Branched Robots using Modular Composition": what its section IV shows."""
