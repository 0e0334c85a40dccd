"""`/login`: where a page gets its cookie, when the server has a token."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from backend.edge.access import COOKIE, cookie_value, is_token

router = APIRouter(include_in_schema=False)

COOKIE_AGE_S = 30 * 24 * 3600


@router.get("/login")
async def form(request: Request) -> HTMLResponse:
    """Show the login form."""
    return HTMLResponse(request.app.state.login_page(is_wrong=False))


@router.post("/login")
async def log_in(token: Annotated[str, Form(max_length=4096)], request: Request) -> Response:
    """Log in: the right token sets the cookie, a wrong one shows the form again."""
    expected: str | None = request.app.state.token
    if expected is None:
        return RedirectResponse("/", 303)
    if not is_token(token, expected):
        return HTMLResponse(request.app.state.login_page(is_wrong=True), 401)
    response = RedirectResponse("/", 303)
    secure = request.url.scheme == "https"
    response.set_cookie(COOKIE, cookie_value(expected), COOKIE_AGE_S, httponly=True, samesite="lax", secure=secure)
    return response
