"""The HTTP and websocket edge: a route parses, calls one method and answers."""

from fastapi import APIRouter

from backend.routes import (
    adapters,
    chat,
    checkpoints,
    controls,
    events,
    health,
    images,
    jobs,
    login,
    media,
    models,
    recipes,
    robots,
    tasks,
    unknown,
    upsample,
)

SERVED: tuple[APIRouter, ...] = (
    jobs.router,
    events.router,
    media.router,
    controls.router,
    recipes.router,
    checkpoints.router,
    adapters.router,
    models.router,
    images.router,
    chat.router,
    upsample.router,
    tasks.router,
    robots.router,
    health.router,
    login.router,
)
ROUTERS = (*SERVED, unknown.after(SERVED))
