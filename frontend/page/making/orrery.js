// The entry: defines every element, opens the socket, and gives the form's components their one hook.
// `form` is there for whoever looks from outside: the console, and the tests.

import "../frame/header.js";
import "../frame/rail.js";
import "../form/notice.js";
import "../form/examples.js";
import "../form/chips.js";
import "../form/estimate.js";
import "./outcome.js";
import "./stage.js";
import "./progress.js";
import "./strip.js";
import "./drop.js";
import "../form/units.js";
import "../form/limits.js";
import "./links.js";
import "../form/kept.js";
import "../form/model.js";
import "./order.js";
import "../form/prompt_tools.js";
import "../form/seed.js";
import "../form/select.js";
import "../form/start.js";
import "../form/switch.js";
import "../form/tabs.js";
import "../parts/keyboard.js";
import { form } from "../form/values.js";
import { live } from "../data/live.js";
import { submit } from "./submit.js";

window.orrery = { form, submit, remember: (names, values) => form.remember(names, values) };
live.start();
