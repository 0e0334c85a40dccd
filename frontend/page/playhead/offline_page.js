// The entry of a comparison that was taken along: everything it shows lies beside it or in it.

import "./part.js";
import { gridOf } from "./cells.js";

if (matchMedia("(prefers-color-scheme: dark)").matches) document.body.classList.add("dark");
const comparison = JSON.parse(document.getElementById("o-comparison").textContent);
document.querySelector("o-playhead").grid = gridOf(comparison);
