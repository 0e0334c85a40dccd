// The transfer page: what every making page has, and its controls.

import "./orrery.js";
import "./controls.js";
