"""Engines on other hosts: one Ray actor for each replica starts workers there, as the server does on its own host.

`ray_hosts` alone imports Ray, and is imported with `--ray` alone. A `WorkerHost` is the actor; a `Seat` is where the
server finds the actor of one replica, or waits for the next one; a `RemoteLink` is one worker there, as
`EngineProcess` has it.
"""
