// The entry of the robot page: defines its elements and opens both sockets, the studio's and the robot's.
// `robot` is there for whoever looks from outside: the console, and the tests.

import "../frame/header.js";
import "../frame/rail.js";
import "../parts/keyboard.js";
import "./stop.js";
import "./keys.js";
import "./standing.js";
import "./control.js";
import "./task.js";
import "./pace.js";
import "./scene.js";
import "./view.js";
import "./fan.js";
import "./joints.js";
import "./figures.js";
import "./panel.js";
import { live } from "../data/live.js";
import { beat } from "./heartbeat.js";
import { robot } from "./link.js";

window.orrery = { robot };
live.start();
robot.start();
beat(robot);

// A file that falls on this page must not make the browser leave it.
for (const event of ["dragover", "drop"]) addEventListener(event, (dragged) => dragged.preventDefault());
