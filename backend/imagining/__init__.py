"""What the model imagines without an arm.

fans              what a policy would do about one picture, with other seeds or instructions
rollouts          the policy and forward dynamics in turns, as ordinary jobs
kept              those that run and those that ended, in memory
last_frame        what a rollout's next turn begins with
simulated_tables  the same actions on the simulated arm
step_errors       how far what was imagined is from what it saw
results           what a job has made
"""

from backend.imagining.fans import FanService
from backend.imagining.rollouts import RolloutService

__all__ = ["FanService", "RolloutService"]
