// The entry of Evaluate: defines its elements, opens the socket, and asks what there is.

import "../frame/header.js";
import "../frame/rail.js";
import "../parts/keyboard.js";
import "./page.js";
import { live } from "../data/live.js";
import { evaluation } from "./store.js";

live.start();
evaluation.start();
evaluation.fetch();

// A file that falls on this page must not make the browser leave it.
for (const event of ["dragover", "drop"]) addEventListener(event, (dragged) => dragged.preventDefault());
