// The entry of the page that refines: defines its elements, opens the socket, and fetches the refinement it shows.
// `refining` is there for whoever looks from outside: the console, and the tests.

import "./header.js";
import "./rail.js";
import "./keyboard.js";
import "./drop_files.js";
import "./refine_page.js";
import { live } from "./live.js";
import { refining } from "./refine_store.js";

window.orrery = { refining };
live.start();
refining.start();
