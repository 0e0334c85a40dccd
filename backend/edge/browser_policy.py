"""What a browser may do with our answers: headers that uvicorn puts on every one of them, its own errors too."""

from __future__ import annotations

CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'self'",
        # Pages and /docs have scripts and styles in their HTML; Gradio makes functions of the JavaScript in its events.
        "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "media-src 'self' data: blob:",
        "font-src 'self' data:",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'self'",
        # No foreign page lays an arm's buttons under its own. Ours has a frame, in which an archive is saved.
        "frame-ancestors 'self'",
    )
)
"""Nothing comes from another origin, and nothing is sent to one; 'self' covers our websockets."""

BROWSER_HEADERS = [
    ("content-security-policy", CONTENT_SECURITY_POLICY),
    ("x-frame-options", "SAMEORIGIN"),  # for browsers older than frame-ancestors
]
