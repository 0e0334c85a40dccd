"""Jobs: the ledger that remembers them, the service that accepts them, the dispatcher that runs them.

Only the service and the dispatcher move a job. Every move is one transaction that the table in `studio.jobs` allows.
"""
