// Plots over time on a canvas that fills its parent: drawn anew when its size or the theme changes.

import { useLayoutEffect } from "../vendor/preact.js";

/** Draw once the canvas is there, and again whenever what it depends on is another. */
export function usePlot(canvas, draw) {
  useLayoutEffect(() => {
    const sizes = new ResizeObserver(draw);
    const themes = new MutationObserver(draw);
    sizes.observe(canvas.current.parentElement);
    themes.observe(document.body, { attributeFilter: ["class"] });
    return () => {
      sizes.disconnect();
      themes.disconnect();
    };
  }, []);
}

/** The canvas wiped, to be drawn on in CSS pixels: context, size, the theme's colours and font; null without room. */
export function sheetOf(canvas, names) {
  const { clientWidth: width, clientHeight: height } = canvas.parentElement;
  if (!width || !height) return null;
  const scale = devicePixelRatio;
  const [across, down] = [Math.round(width * scale), Math.round(height * scale)];
  if (canvas.width !== across || canvas.height !== down) Object.assign(canvas, { width: across, height: down });
  const style = getComputedStyle(canvas);
  const colours = Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--o-${name}`)]));
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height, colours, font: style.getPropertyValue("--o-mono") };
}

/** A line through points [x, y]. */
export function drawLine({ context, colours }, points, colour, width = 1, dash = []) {
  if (points.length < 2) return;
  context.strokeStyle = colours[colour];
  context.lineWidth = width;
  context.setLineDash(dash);
  context.beginPath();
  for (const [x, y] of points) context.lineTo(x, y);
  context.stroke();
}

/** Words from a point on, or up to it with `align` "right". */
export function drawWords(sheet, words, x, y, colour, size, align = /** @type {CanvasTextAlign} */ ("left")) {
  const { context, colours, font } = sheet;
  context.fillStyle = colours[colour];
  context.font = `500 ${size}px ${font}`;
  context.textAlign = align;
  context.fillText(words, x, y);
}
