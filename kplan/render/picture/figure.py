"""A picture on a page: drawn twice, for wide and for narrow screens; the page's style shows the one that fits."""

from __future__ import annotations

from html import escape

from kplan.render.picture.canvas import LINE, Canvas
from kplan.render.picture.model import Picture

WIDE = 1160
"""Of a drawing on a desk [pixels]."""
NARROW = 356
"""Of a drawing on a phone [pixels]."""
_GAP = 40
_PATTERN = (
    '<defs><pattern id="{name}-short" width="6" height="6" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><rect width="6" height="6" class="short-ground"/>'
    '<rect width="3" height="6" class="short-line"/></pattern></defs>'
)


def figure(picture: Picture) -> str:
    """Write a picture as markup; it needs neither scripts nor anything outside itself."""
    drawn = "".join(svg(picture, name, width) for name, width in (("wide", WIDE), ("narrow", NARROW)))
    return f'<figure class="picture">{drawn}</figure>'


def svg(picture: Picture, name: str, width: float) -> str:
    """Write one drawing of a picture.

    Args:
        picture: what is drawn.
        name: tells the drawings of a page apart.
        width: of it [pixels].
    """
    canvas = Canvas(name, width)
    height = _beside(picture, canvas) if width >= WIDE else _below(picture, canvas)
    labels = f'aria-labelledby="{name}-title" aria-describedby="{name}-told"'
    head = (
        f'<title id="{name}-title">{escape(picture.title)}</title><desc id="{name}-told">{escape(picture.told)}</desc>'
    )
    return (
        f'<svg class="{name}" viewBox="0 0 {width:.0f} {height:.0f}" role="group" {labels}>'
        f"{head}{_PATTERN.format(name=name)}{canvas.drawn()}</svg>"
    )


def _beside(picture: Picture, canvas: Canvas) -> float:
    room = canvas.width - _GAP * (len(picture.panels) - 1)
    shares = sum(panel.share for panel in picture.panels)
    x, height = 0.0, 0.0
    for panel in picture.panels:
        width = room * panel.share / shares
        canvas.text(x, 13, panel.title, "heading", room=width)
        height = max(height, panel.draw(canvas, x, LINE + 6, width))
        x += width + _GAP
    return height + LINE + 8


def _below(picture: Picture, canvas: Canvas) -> float:
    y = 0.0
    for panel in picture.panels:
        canvas.text(0, y + 13, panel.title, "heading", room=canvas.width)
        y += LINE + 6
        y += panel.draw(canvas, 0, y, canvas.width) + 14
    return y
