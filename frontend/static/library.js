// The entry of the library: defines its elements, opens the socket, and asks for the first page at once.
// `library` is there for whoever looks from outside: the console, and the tests.

import "./header.js";
import "./rail.js";
import "./keyboard.js";
import "./drop_files.js";
import "./library_page.js";
import { library } from "./library_store.js";
import { live } from "./live.js";

window.orrery = { library };
live.start();
library.start();
