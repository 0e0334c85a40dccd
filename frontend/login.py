"""The page that asks for the token: whole in itself, since nothing else is served before it is given."""

from __future__ import annotations

from functools import cache

from frontend import text
from frontend.icons import icon
from frontend.packing import source_of
from frontend.shell import BOOT

TITLE = "Orrery: log in"
TOKEN = "Server token"
WRONG = "Wrong token."
ENTER = "Log in"

_STYLE = """
body{display:grid;place-items:center;min-height:100vh;margin:0;font-size:15px;line-height:1.5}
form{display:grid;gap:12px;width:min(340px,calc(100vw - 32px));padding:24px;box-sizing:border-box;
border:1px solid var(--o-line);border-radius:var(--o-r);background:var(--o-surface)}
h1{display:flex;gap:10px;align-items:center;margin:0 0 6px;font-size:22px;font-weight:650}
h1 svg{color:var(--o-accent)}
label{font-size:13px;font-weight:600}
input,button{min-height:42px;padding:8px 12px;box-sizing:border-box;border-radius:8px;font:inherit}
input{border:1px solid var(--o-edge);background:var(--o-bg);color:var(--o-ink)}
button{border:0;background:var(--o-accent);color:var(--o-accent-ink);font-weight:600;cursor:pointer}
button:hover{background:var(--o-accent-deep)}
:focus-visible{outline:2px solid var(--o-accent);outline-offset:2px}
p{margin:0;padding:7px 11px;border-radius:8px;background:var(--o-bad-soft);color:var(--o-bad)}
"""


@cache
def login_page(*, is_wrong: bool) -> str:
    """Its HTML, in the theme that this browser has chosen.

    Args:
        is_wrong: whether it follows a token that was not the server's.
    """
    tokens, boot = source_of("frame/tokens.css"), source_of(BOOT)
    problem = f'<p role="alert">{WRONG}</p>' if is_wrong else ""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{TITLE}</title><style>{tokens}{_STYLE}</style><script>{boot}</script></head>"
        f'<body><main><form method="post" action="/login"><h1>{icon("orrery", 30)}{text.STUDIO}</h1>{problem}'
        f'<label for="token">{TOKEN}</label>'
        '<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>'
        f"<button>{ENTER}</button></form></main></body></html>"
    )
