"""The HTTP and websocket edge: a route parses, calls one method and answers."""

from fastapi import APIRouter

from backend.routes import (
    actions,
    arena,
    chat,
    checkpoints,
    comparisons,
    events,
    form_presets,
    health,
    images,
    jobs,
    library,
    login,
    media,
    policy,
    refinements,
    robots,
    system,
    tasks,
    unknown,
    videos,
)

SERVED: tuple[APIRouter, ...] = (
    jobs.router,
    jobs.queue_router,
    comparisons.router,
    events.router,
    media.router,
    library.router,
    media.controls_router,
    media.recipes_router,
    checkpoints.router,
    form_presets.router,
    checkpoints.models_router,
    images.router,
    videos.router,
    actions.router,
    chat.router,
    tasks.upsample_router,
    refinements.router,
    tasks.router,
    arena.router,
    robots.router,
    policy.router,
    health.router,
    system.router,
    login.router,
)
ROUTERS = (*SERVED, unknown.after(SERVED))
