"""The policy service: an arm's questions, answered by the loaded checkpoint.

contract     what its answers mean, declared before the first of them
views        three cameras to the one picture that the policy sees
question     a frame to a question, or to what is wrong with it
lane         which session the device is kept free for
service      questions to the worker and back
session      one client, frame by frame
"""

from backend.policy.service import PolicyService
from backend.policy.session import PolicySession

__all__ = ["PolicyService", "PolicySession"]
