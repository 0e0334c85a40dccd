"""The colour tokens of `page/frame/tokens.css` as a Gradio theme.

Gradio's own names stay in this file and in `page/parts/controls.css`. Light and dark get the same
value, for the tokens themselves switch.
"""

# pyright: reportUnknownMemberType=false
# Gradio leaves the parameters of `set` without types.

from __future__ import annotations

from typing import Any

from gradio.themes import Base
from gradio.themes.utils import sizes

FONT = ("Inter", "system-ui", "-apple-system", "Segoe UI", "Roboto", "sans-serif")
MONO = ("ui-monospace", "SF Mono", "Menlo", "Consolas", "monospace")

VALUES: dict[str, str] = {
    # Page
    "body_background_fill": "var(--o-bg)",
    "body_text_color": "var(--o-ink)",
    "body_text_color_subdued": "var(--o-muted)",
    "body_text_size": "var(--o-text)",
    "background_fill_primary": "var(--o-surface)",
    "background_fill_secondary": "var(--o-sunk)",
    "border_color_primary": "var(--o-line)",
    "border_color_accent": "var(--o-accent)",
    "border_color_accent_subdued": "var(--o-line)",
    "color_accent": "var(--o-accent)",
    "color_accent_soft": "var(--o-accent-soft)",
    "link_text_color": "var(--o-accent)",
    "link_text_color_hover": "var(--o-accent)",
    "link_text_color_active": "var(--o-accent)",
    "link_text_color_visited": "var(--o-accent)",
    "code_background_fill": "var(--o-sunk)",
    "shadow_drop": "none",
    "shadow_drop_lg": "0 8px 24px rgb(0 0 0/.18)",
    "shadow_inset": "none",
    "shadow_spread": "0px",
    "container_radius": "var(--o-r)",
    "form_gap_width": "0px",
    "layout_gap": "12px",
    "panel_background_fill": "var(--o-surface)",
    "panel_border_width": "1px",
    "panel_border_color": "var(--o-line)",
    "accordion_text_color": "var(--o-accent)",
    "section_header_text_size": "var(--o-text)",
    "section_header_text_weight": "600",
    "loader_color": "var(--o-accent)",
    "stat_background_fill": "var(--o-accent-soft)",
    # Blocks lose their box and their label its badge
    "block_background_fill": "transparent",
    "block_border_width": "0px",
    "block_border_color": "transparent",
    "block_padding": "0px",
    "block_radius": "0px",
    "block_shadow": "none",
    "block_info_text_color": "var(--o-muted)",
    "block_info_text_size": "var(--o-text-s)",
    "block_info_text_weight": "400",
    "block_label_background_fill": "transparent",
    "block_label_border_width": "0px",
    "block_label_shadow": "none",
    "block_label_text_color": "var(--o-ink)",
    "block_label_text_size": "var(--o-text-s)",
    "block_label_text_weight": "600",
    "block_label_padding": "0px",
    "block_label_margin": "0px",
    "block_label_radius": "0px",
    "block_title_background_fill": "transparent",
    "block_title_border_width": "0px",
    "block_title_text_color": "var(--o-ink)",
    "block_title_text_size": "var(--o-text-s)",
    "block_title_text_weight": "600",
    "block_title_padding": "0px",
    "block_title_radius": "0px",
    # Inputs
    "input_background_fill": "var(--o-bg)",
    "input_background_fill_focus": "var(--o-bg)",
    "input_background_fill_hover": "var(--o-bg)",
    "input_border_color": "var(--o-edge)",
    "input_border_color_focus": "var(--o-accent)",
    "input_border_color_hover": "var(--o-muted)",
    "input_border_width": "1px",
    "input_padding": "9px 11px",
    "input_radius": "8px",
    "input_shadow": "none",
    "input_shadow_focus": "0 0 0 2px var(--o-accent-soft)",
    "input_text_size": "var(--o-text)",
    "input_placeholder_color": "var(--o-muted)",
    "slider_color": "var(--o-accent)",
    # Choices
    "checkbox_label_background_fill": "var(--o-bg)",
    "checkbox_label_background_fill_hover": "var(--o-sunk)",
    "checkbox_label_background_fill_selected": "var(--o-accent-soft)",
    "checkbox_label_border_color": "var(--o-edge)",
    "checkbox_label_border_color_hover": "var(--o-muted)",
    "checkbox_label_border_color_selected": "var(--o-accent)",
    "checkbox_label_border_width": "1px",
    "checkbox_label_gap": "6px",
    "checkbox_label_padding": "5px 11px",
    "checkbox_label_shadow": "none",
    "checkbox_label_text_size": "var(--o-text-s)",
    "checkbox_label_text_weight": "400",
    "checkbox_label_text_color": "var(--o-ink)",
    "checkbox_label_text_color_selected": "var(--o-accent)",
    "checkbox_background_color": "var(--o-bg)",
    "checkbox_background_color_selected": "var(--o-accent)",
    "checkbox_border_color": "var(--o-muted)",
    "checkbox_border_color_selected": "var(--o-accent)",
    "checkbox_border_color_focus": "var(--o-accent)",
    # Errors and tables
    "table_text_color": "var(--o-ink)",
    "error_background_fill": "var(--o-bad-soft)",
    "error_border_color": "var(--o-bad)",
    "error_text_color": "var(--o-bad)",
    "error_icon_color": "var(--o-bad)",
    "table_border_color": "var(--o-line)",
    "table_even_background_fill": "var(--o-surface)",
    "table_odd_background_fill": "var(--o-bg)",
    "table_row_focus": "var(--o-accent-soft)",
    # Buttons
    "button_border_width": "1px",
    "button_transition": "none",
    "button_transform_hover": "none",
    "button_transform_active": "none",
    "button_large_padding": "12px",
    "button_large_radius": "9px",
    "button_large_text_size": "var(--o-text-l)",
    "button_large_text_weight": "600",
    "button_medium_padding": "8px 12px",
    "button_medium_radius": "8px",
    "button_medium_text_size": "var(--o-text)",
    "button_medium_text_weight": "500",
    "button_small_padding": "6px 11px",
    "button_small_radius": "8px",
    "button_small_text_size": "var(--o-text-s)",
    "button_small_text_weight": "500",
    "button_primary_background_fill": "var(--o-accent)",
    "button_primary_background_fill_hover": "var(--o-accent)",
    "button_primary_border_color": "var(--o-accent)",
    "button_primary_border_color_hover": "var(--o-accent)",
    "button_primary_text_color": "var(--o-accent-ink)",
    "button_primary_text_color_hover": "var(--o-accent-ink)",
    "button_primary_shadow": "none",
    "button_primary_shadow_hover": "none",
    "button_primary_shadow_active": "none",
    "button_secondary_background_fill": "var(--o-surface)",
    "button_secondary_background_fill_hover": "var(--o-sunk)",
    "button_secondary_border_color": "var(--o-edge)",
    "button_secondary_border_color_hover": "var(--o-muted)",
    "button_secondary_text_color": "var(--o-ink)",
    "button_secondary_text_color_hover": "var(--o-ink)",
    "button_secondary_shadow": "none",
    "button_secondary_shadow_hover": "none",
    "button_secondary_shadow_active": "none",
    "button_cancel_background_fill": "var(--o-surface)",
    "button_cancel_background_fill_hover": "var(--o-bad-soft)",
    "button_cancel_border_color": "var(--o-edge)",
    "button_cancel_border_color_hover": "var(--o-bad)",
    "button_cancel_text_color": "var(--o-bad)",
    "button_cancel_text_color_hover": "var(--o-bad)",
    "button_cancel_shadow": "none",
    "button_cancel_shadow_hover": "none",
    "button_cancel_shadow_active": "none",
}


def build_theme() -> Base:
    """The theme; system fonts only, so that nothing is fetched."""
    theme = Base(
        spacing_size=sizes.spacing_md,
        radius_size=sizes.radius_md,
        font=list(FONT),
        font_mono=list(MONO),
    )
    values: dict[str, Any] = {}
    for name, value in VALUES.items():
        values[name] = value
        if hasattr(theme, f"{name}_dark"):
            values[f"{name}_dark"] = value
    return theme.set(**values)
