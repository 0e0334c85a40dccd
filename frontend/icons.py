"""Icons as inline SVG: drawn here on a 24 px grid, coloured by the text around them, silent to screen readers."""

from __future__ import annotations

_SHAPES: dict[str, str] = {
    "orrery": (
        '<circle cx="12" cy="12" r="3" fill="currentColor" stroke="none"/>'
        '<ellipse cx="12" cy="12" rx="10.5" ry="4.6" transform="rotate(-24 12 12)"/>'
        '<circle cx="21" cy="7.6" r="1.7" fill="currentColor" stroke="none"/>'
    ),
    "menu": '<path d="M4 7h16M4 12h16M4 17h16"/>',
    "moon": '<path d="M20 14.5A8.5 8.5 0 1 1 9.5 4a6.8 6.8 0 0 0 10.5 10.5z"/>',
    "sun": (
        '<circle cx="12" cy="12" r="4"/>'
        '<path d="M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2"/>'
        '<path d="M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4"/>'
    ),
    "sliders": '<path d="M4 7h10M18 7h2M4 17h4M12 17h8"/><circle cx="16" cy="7" r="2"/><circle cx="10" cy="17" r="2"/>',
    "keyboard": (
        '<rect x="2.5" y="6" width="19" height="12" rx="2.5"/>'
        '<path d="M6.5 10h.01M10 10h.01M14 10h.01M17.5 10h.01M8 14h8"/>'
    ),
    "image": (
        '<rect x="3.5" y="4.5" width="17" height="15" rx="2.5"/><circle cx="9" cy="10" r="1.6"/>'
        '<path d="M4 17l5-4 3.5 2.5L16 12l4.5 4"/>'
    ),
    "video": '<rect x="3" y="5.5" width="18" height="13" rx="2.5"/><path d="M10 9.2v5.6l4.8-2.8z"/>',
    "sound": '<path d="M4 10v4M8 6.5v11M12 9v6M16 4.5v15M20 9.5v5"/>',
    "transfer": (
        '<rect x="3" y="4" width="8.5" height="8.5" rx="2" stroke-dasharray="2.6 2.2"/>'
        '<rect x="12.5" y="11.5" width="8.5" height="8.5" rx="2"/><path d="M15 5h3.5v3.5M9 19H5.5v-3.5"/>'
    ),
    "world": (
        '<circle cx="12" cy="12" r="8.8"/><path d="M3.2 12h17.6M12 3.2c-5 5-5 12.6 0 17.6M12 3.2c5 5 5 12.6 0 17.6"/>'
    ),
    "ask": (
        '<path d="M4.5 5h15a1.5 1.5 0 0 1 1.5 1.5v9a1.5 1.5 0 0 1-1.5 1.5H11l-5 4v-4H4.5A1.5 1.5 0 0 1 3 15.5v-9'
        'A1.5 1.5 0 0 1 4.5 5z"/><path d="M8 9.2h8M8 12.8h5"/>'
    ),
    "compare": '<path d="M12 3.5v17M3.5 6.5h6v11h-6zM20.5 6.5h-6v11h6z"/>',
    "arena": (
        '<path d="M12 4v16M7.5 20h9M5 7.5l7-2 7 2"/><path d="M2.5 14L5 7.5 7.5 14a2.5 2.5 0 0 1-5 0z"/>'
        '<path d="M16.5 14L19 7.5l2.5 6.5a2.5 2.5 0 0 1-5 0z"/>'
    ),
    "refine": (
        '<rect x="3" y="4" width="6.5" height="6.5" rx="1.6"/>'
        '<rect x="14.5" y="13.5" width="6.5" height="6.5" rx="1.6"/>'
        '<path d="M9.5 7.2h4.2a4 4 0 0 1 4 4v2.3M6.2 10.5v3a4 4 0 0 0 4 4h4.3"/>'
    ),
    "evaluate": '<path d="M4 20.5V4M4 20.5h16.5"/><path d="M8 16.5v-4M12.5 16.5V8M17 16.5v-6"/>',
    "tune": '<path d="M4 5v15h16"/><path d="M6.5 8c3 0 3.5 8 13 8.5"/><circle cx="10" cy="11.6" r="1.7"/>',
    "library": (
        '<rect x="3.5" y="3.5" width="7.2" height="7.2" rx="1.6"/>'
        '<rect x="13.3" y="3.5" width="7.2" height="7.2" rx="1.6"/>'
        '<rect x="3.5" y="13.3" width="7.2" height="7.2" rx="1.6"/>'
        '<rect x="13.3" y="13.3" width="7.2" height="7.2" rx="1.6"/>'
    ),
    "queue": '<path d="M4 6.5h11M4 12h16M4 17.5h8"/><path d="M18 3.5v6M15.5 7l2.5 2.6L20.5 7"/>',
    "checkpoints": (
        '<path d="M12 3.2l8.5 4.3L12 11.8 3.5 7.5z"/><path d="M3.5 12l8.5 4.3 8.5-4.3"/>'
        '<path d="M3.5 16.4l8.5 4.3 8.5-4.3"/>'
    ),
    "robot": (
        '<path d="M5 20.5h7M8.5 20.5v-5"/><circle cx="8.5" cy="13.5" r="2"/><path d="M9.6 11.8L13 6.2"/>'
        '<circle cx="14" cy="4.7" r="1.8"/><path d="M15.5 5.8l3.2 4.2"/><path d="M16.6 13.5v-2l2.1-1.5 2.1 1.5v2"/>'
    ),
    "braces": (
        '<path d="M9 4.5C6.5 4.5 7 7 7 9s-.5 3-2.5 3c2 0 2.5 1 2.5 3s-.5 4.5 2 4.5"/>'
        '<path d="M15 4.5c2.5 0 2 2.5 2 4.5s.5 3 2.5 3c-2 0-2.5 1-2.5 3s.5 4.5-2 4.5"/>'
    ),
    "shield": '<path d="M12 3.2l7.5 2.6v5.4c0 4.6-3 8-7.5 9.6-4.5-1.6-7.5-5-7.5-9.6V5.8z"/>',
    "close": '<path d="M6 6l12 12M18 6L6 18"/>',
}


def icon(name: str, size: int = 18) -> str:
    """The SVG element of one icon.

    Args:
        name: a key of the table above.
        size: CSS pixels, both ways.
    """
    return (
        f'<svg class="o-svg" width="{size}" height="{size}" viewBox="0 0 24 24" fill="none" stroke="currentColor" '
        f'stroke-width="1.7" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">{_SHAPES[name]}</svg>'
    )
