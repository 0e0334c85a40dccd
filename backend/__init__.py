"""The one server: the HTTP and websocket edge, the jobs, the media, and the process that owns the engine.

Calls point downward only: `serve` composes everything; `routes` parse, call one service method and answer; `jobs`
owns the ledger and the queue; `engine_process` owns the worker; `media` owns the files. `worker` is another program:
it shares `messages` and `media` with this one, and it alone knows the engine.
"""
