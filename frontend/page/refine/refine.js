// The entry of the page that refines: defines its elements, opens the socket, and fetches the refinement it shows.
// `refining` is there for whoever looks from outside: the console, and the tests.

import "../frame/header.js";
import "../frame/rail.js";
import "../parts/keyboard.js";
import "../media/drop_files.js";
import "./page.js";
import { live } from "../data/live.js";
import { refining } from "./store.js";

window.orrery = { refining };
live.start();
refining.start();
