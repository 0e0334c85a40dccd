// The entry of the queue: defines its elements and opens the socket.
// `queue` is there for whoever looks from outside: the console, and the tests.

import "../frame/header.js";
import "../frame/rail.js";
import "../parts/keyboard.js";
import "./page.js";
import { live } from "../data/live.js";
import { queue } from "./store.js";

window.orrery = { queue };
queue.start();
live.start();

// A file that falls on this page must not make the browser leave it.
for (const event of ["dragover", "drop"]) addEventListener(event, (dragged) => dragged.preventDefault());
