"""`python -m engine.verify`: every tensor of a checkpoint's folder accounted for, from headers alone."""

from engine.verify.account import Account, AccountEntry, account_for

__all__ = ["Account", "AccountEntry", "account_for"]
