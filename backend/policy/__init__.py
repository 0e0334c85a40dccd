"""The policy service: an arm's questions, answered by the loaded checkpoint.

contract     what its answers mean, declared before the first of them
question     a frame to a question, or to what is wrong with it; three cameras to the one picture that is seen
service      questions to the worker and back
lease        which sessions the device is kept free for
foresight    the frames that an answer foresees, sent behind it
session      one client, frame by frame
"""

from backend.policy.service import PolicyService
from backend.policy.session import PolicySession

__all__ = ["PolicyService", "PolicySession"]
