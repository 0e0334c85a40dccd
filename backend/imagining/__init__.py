"""What the model imagines without an arm.

rollouts     the policy and forward dynamics in turns, as ordinary jobs
last_frame   what the next turn begins with
"""

from backend.imagining.rollouts import RolloutService

__all__ = ["RolloutService"]
