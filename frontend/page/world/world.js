// The world pages: what every making page has, and whose actions, which actions, from which state.

import "../making/orrery.js";
import "./actions_editor.js";
import "./arm_state.js";
import "./body.js";
import "./fan.js";
import "./rollout.js";
import "./round_trip.js";
