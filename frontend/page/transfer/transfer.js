// The transfer page: what every making page has, and its controls.

import "../making/orrery.js";
import "./controls.js";
