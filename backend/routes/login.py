"""`/login`: where a page gets its cookie, when the server has a token."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from backend.access import COOKIE, cookie_value, is_token

router = APIRouter(include_in_schema=False)

COOKIE_AGE_S = 30 * 24 * 3600
PAGE = """<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Orrery: log in</title><style>
:root{{color-scheme:light dark}}body{{font:15px/1.5 system-ui,sans-serif;display:grid;
place-items:center;min-height:90vh}}
form{{display:grid;gap:12px;width:min(320px,90vw)}}input,button{{font:inherit;padding:10px 12px;border-radius:8px;
border:1px solid #7d8794}}button{{background:#0a6b66;color:#fff;border:0;font-weight:600}}p{{color:#b3261e;margin:0}}
</style><form method="post" action="/login"><h1>Orrery</h1>{problem}<label for="token">Token of this server</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<button>Log in</button></form></html>"""


@router.get("/login")
async def form() -> HTMLResponse:
    """The form."""
    return HTMLResponse(PAGE.format(problem=""))


@router.post("/login")
async def log_in(token: Annotated[str, Form(max_length=4096)], request: Request) -> Response:
    """The right token sets the cookie; a wrong one shows the form again."""
    expected: str | None = request.app.state.token
    if expected is None:
        return RedirectResponse("/", 303)
    if not is_token(token, expected):
        return HTMLResponse(PAGE.format(problem='<p role="alert">That is not the token.</p>'), 401)
    response = RedirectResponse("/", 303)
    secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, cookie_value(expected), COOKIE_AGE_S, httponly=True, samesite="lax", secure=secure)
    return response
