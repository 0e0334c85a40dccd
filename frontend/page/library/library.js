// The entry of the library: defines its elements, opens the socket, and asks for the first page at once.
// `library` is there for whoever looks from outside: the console, and the tests.

import "../frame/header.js";
import "../frame/rail.js";
import "../parts/keyboard.js";
import "../media/drop_files.js";
import "./page.js";
import { library } from "./store.js";
import { live } from "../data/live.js";

window.orrery = { library };
live.start();
library.start();
