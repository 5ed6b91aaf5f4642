"""Silva & Adorno, Dynamic Modeling of Branched Robots using Modular Composition."""
