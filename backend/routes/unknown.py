"""What no other API route answers: refused here, in our shape, before the page's own router sees it."""

from __future__ import annotations

from fastapi import APIRouter, Request

from studio.errors import NotFound
from studio.requests import shown

router = APIRouter(include_in_schema=False)


@router.api_route("/v1/{path:path}", methods=["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
async def unknown(request: Request) -> None:
    """Raises NotFound."""
    raise NotFound(f"There is no {request.method} {shown(request.url.path)}.", hint="/docs lists every route.")
