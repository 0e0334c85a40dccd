// The entry of the page that asks the reasoner: defines its elements, opens the socket, and finds what is asked about.
// `subject` is there for whoever looks from outside: the console, and the tests.

import "../frame/header.js";
import "../frame/rail.js";
import "../parts/keyboard.js";
import "../media/drop_files.js";
import "./page.js";
import { subject } from "./subject.js";
import { live } from "../data/live.js";

window.orrery = { subject };
live.start();
subject.start();
