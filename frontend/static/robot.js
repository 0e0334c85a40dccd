// The entry of the robot page: defines its elements and opens both sockets, the studio's and the robot's.
// `robot` is there for whoever looks from outside: the console, and the tests.

import "./header.js";
import "./rail.js";
import "./keyboard.js";
import "./robot_stop.js";
import "./robot_keys.js";
import "./robot_standing.js";
import "./robot_control.js";
import "./robot_task.js";
import "./robot_pace.js";
import "./robot_scene.js";
import "./robot_view.js";
import "./robot_joints.js";
import "./robot_figures.js";
import "./robot_panel.js";
import { live } from "./live.js";
import { beat } from "./robot_heartbeat.js";
import { robot } from "./robot_link.js";

window.orrery = { robot };
live.start();
robot.start();
beat(robot);

// A file that falls on this page must not make the browser leave it.
for (const event of ["dragover", "drop"]) addEventListener(event, (dragged) => dragged.preventDefault());
