"""The client of a policy's server: five dialects of one websocket, and the contract that an arm insists on."""

from robot.policy.connection import PolicyAddress, PolicyConnection
from robot.policy.policy import NoPolicy, Policy, PolicyStatus

__all__ = ["NoPolicy", "Policy", "PolicyAddress", "PolicyConnection", "PolicyStatus"]
