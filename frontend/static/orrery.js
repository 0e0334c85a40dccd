// The entry: defines every element, opens the socket, and gives the form's components their one hook.
// `form` is there for whoever looks from outside: the console, and the tests.

import "./header.js";
import "./rail.js";
import "./notice.js";
import "./examples.js";
import "./chips.js";
import "./canvas.js";
import "./seed.js";
import "./estimate.js";
import "./outcome.js";
import "./stage.js";
import "./progress.js";
import "./strip.js";
import "./drop.js";
import "./units.js";
import "./limits.js";
import "./links.js";
import "./kept.js";
import "./one_media.js";
import "./order.js";
import "./prompt_tools.js";
import "./select.js";
import "./start.js";
import "./tabs.js";
import "./keyboard.js";
import { form } from "./form_values.js";
import { live } from "./live.js";

window.orrery = { form, remember: (names, values) => form.remember(names, values) };
live.start();
