// The entry of the arena: defines its elements and opens the socket.

import "./header.js";
import "./rail.js";
import "./keyboard.js";
import "./playhead_part.js";
import "./arena_page.js";
import { live } from "./live.js";

live.start();

// A file that falls on this page must not make the browser leave it.
for (const event of ["dragover", "drop"]) addEventListener(event, (dragged) => dragged.preventDefault());
