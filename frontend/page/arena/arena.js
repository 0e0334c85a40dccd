// The entry of the arena: defines its elements and opens the socket.

import "../frame/header.js";
import "../frame/rail.js";
import "../parts/keyboard.js";
import "../playhead/part.js";
import "./page.js";
import { live } from "../data/live.js";

live.start();

// A file that falls on this page must not make the browser leave it.
for (const event of ["dragover", "drop"]) addEventListener(event, (dragged) => dragged.preventDefault());
