"""The HTTP and websocket edge: a route parses, calls one method and answers."""

from fastapi import APIRouter

from backend.routes import checkpoints, events, health, images, jobs, login, media, models, recipes, unknown

SERVED: tuple[APIRouter, ...] = (
    jobs.router,
    events.router,
    media.router,
    recipes.router,
    checkpoints.router,
    models.router,
    images.router,
    health.router,
    login.router,
)
ROUTERS = (*SERVED, unknown.after(SERVED))
