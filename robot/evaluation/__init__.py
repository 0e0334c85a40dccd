"""How often a policy does what it is told on the simulated table: the real loop, safety filter and policy client."""
