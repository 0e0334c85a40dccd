"""Fans and rollouts: what follows one on the server, and what shows it. World and the robot's page have them."""
