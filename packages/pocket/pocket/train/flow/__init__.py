"""What the generator learns from: encoded episodes, what is asked of them, and how wrong its velocities are."""
