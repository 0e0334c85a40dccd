"""The language of Orrery: what can be asked, what happened and what went wrong.

Every other room speaks it and it speaks of none of them: a form, a command line, an HTTP body, a queue row and a
message to the worker are the same frozen request, and every refusal is the same typed error.

Inside, `requests` and `rules` import only pydantic and each other's data types; `client` and `cli` may import all of
it.
"""
