"""The one place that imports MuJoCo, after the OpenGL library was chosen: EGL, OSMesa or none.

MuJoCo reads `MUJOCO_GL` once, on import.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import importlib
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import structlog

from robot.faults import NotInstalled

log = structlog.get_logger("orrery.simulation")

EGL_PACKAGES = "libegl1 libegl-mesa0 libgl1-mesa-dri"
OSMESA_PACKAGE = "libosmesa6"

KNOWN_LIBRARIES = ("egl", "osmesa", "glfw")

_EGL_PLATFORM_DEVICE = 0x313F  # EGL_EXT_platform_device
_MAX_EGL_DEVICES = 16


@dataclass(frozen=True)
class Graphics:
    """What MuJoCo draws with.

    Attributes:
        library: the value of `MUJOCO_GL`; "disable" where nothing is drawn.
        problem: why nothing is drawn and which package helps; empty where something is.
    """

    library: str
    problem: str = ""

    @property
    def can_draw(self) -> bool:
        """Whether there are cameras."""
        return not self.problem


def find_graphics(
    environment: Mapping[str, str] = os.environ,
    *,
    has_egl: Callable[[], bool] | None = None,
    has_osmesa: Callable[[], bool] | None = None,
) -> Graphics:
    """What `MUJOCO_GL` asks for, else EGL, else OSMesa, else nothing with the reason."""
    asked = environment.get("MUJOCO_GL", "").lower().strip()
    if asked in ("disable", "disabled", "off", "false", "0"):
        return Graphics("disable", "The cameras are off because of MUJOCO_GL. Unset it to render.")
    if asked and asked not in KNOWN_LIBRARIES:
        return Graphics(
            "disable",
            f"The cameras are off: MUJOCO_GL is {asked!r:.40}, which is not one of {', '.join(KNOWN_LIBRARIES)}.",
        )
    if asked:
        return Graphics(asked)
    if sys.platform != "linux" or (has_egl or _has_egl_device)():
        return Graphics("egl" if sys.platform == "linux" else "glfw")
    if (has_osmesa or _has_osmesa)():
        return Graphics("osmesa")
    return Graphics(
        "disable",
        "The cameras are off: no headless OpenGL was found. "
        f"Install {EGL_PACKAGES} (or {OSMESA_PACKAGE}) from your distribution and start again.",
    )


def _has_egl_device() -> bool:
    """Whether EGL has a device whose display opens; the library alone does not say so."""
    try:
        egl = ctypes.CDLL("libEGL.so.1")
    except OSError:
        return False
    egl.eglGetProcAddress.restype = ctypes.c_void_p
    query = egl.eglGetProcAddress(b"eglQueryDevicesEXT")
    get_display = egl.eglGetProcAddress(b"eglGetPlatformDisplayEXT")
    if not query or not get_display:
        return False
    devices = (ctypes.c_void_p * _MAX_EGL_DEVICES)()
    num_devices = ctypes.c_int(0)
    query_devices = ctypes.CFUNCTYPE(
        ctypes.c_uint, ctypes.c_int, ctypes.POINTER(ctypes.c_void_p), ctypes.POINTER(ctypes.c_int)
    )(query)
    open_display = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_uint, ctypes.c_void_p, ctypes.c_void_p)(get_display)
    egl.eglInitialize.argtypes = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    if not query_devices(_MAX_EGL_DEVICES, devices, ctypes.byref(num_devices)):
        return False
    displays = (open_display(_EGL_PLATFORM_DEVICE, devices[index], None) for index in range(num_devices.value))
    return any(display and egl.eglInitialize(display, None, None) for display in displays)


def _has_osmesa() -> bool:
    return ctypes.util.find_library("OSMesa") is not None


GRAPHICS = find_graphics()
"""What is drawn with. Where MuJoCo was imported by somebody else before, it drew its own conclusion from the same."""

if "mujoco" not in sys.modules:
    os.environ["MUJOCO_GL"] = GRAPHICS.library

try:
    mujoco: Any = importlib.import_module("mujoco")
except ModuleNotFoundError as error:
    raise NotInstalled(
        "The simulated arm needs MuJoCo, which is not installed.", hint="Install it with: pip install 'orrery[robot]'."
    ) from error


def _warn(message: str) -> None:
    """MuJoCo's own way is a file in the working folder."""
    log.warning("mujoco", message=message)


mujoco.set_mju_user_warning(_warn)
