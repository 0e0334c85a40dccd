// The entry of the queue: defines its elements and opens the socket.
// `queue` is there for whoever looks from outside: the console, and the tests.

import "./header.js";
import "./rail.js";
import "./keyboard.js";
import "./queue_page.js";
import { live } from "./live.js";
import { queue } from "./queue_store.js";

window.orrery = { queue };
queue.start();
live.start();

// A file that falls on this page must not make the browser leave it.
for (const event of ["dragover", "drop"]) addEventListener(event, (dragged) => dragged.preventDefault());
