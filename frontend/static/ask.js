// The entry of the page that asks the reasoner: defines its elements, opens the socket, and finds what is asked about.
// `subject` is there for whoever looks from outside: the console, and the tests.

import "./header.js";
import "./rail.js";
import "./keyboard.js";
import "./drop_files.js";
import "./ask_page.js";
import { subject } from "./ask_subject.js";
import { live } from "./live.js";

window.orrery = { subject };
live.start();
subject.start();
