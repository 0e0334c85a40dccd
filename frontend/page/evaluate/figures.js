// Numbers of a metric as people read them.

import { evaluation } from "./store.js";

/** `74.7 %`, or a dash where nothing was measured. */
export function figure(metric, value) {
  if (value === null || value === undefined) return "–";
  const { scale = 1, digits = 2, unit = "" } = evaluation.metrics[metric] ?? {};
  return [(value * scale).toFixed(digits), unit].filter(Boolean).join("\u00a0"); // a line never ends between them
}

/** `70.1 % – 78.9 %`; empty without an interval, as of a single item. */
export const interval = ({ metric, low, high }) =>
  low === null || high === null || low === high ? "" : `${figure(metric, low)} – ${figure(metric, high)}`;

export const titleOfMetric = (metric) => evaluation.metrics[metric]?.title ?? metric;
