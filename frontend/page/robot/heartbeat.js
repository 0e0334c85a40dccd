// The dead-man's switch of the page: it beats while this page is in control and somebody can see it, and else never.
// On the page's own thread on purpose: a page that hangs must fall silent, and the arm stops half a second later.

const PERIOD_MS = 200;

export function beat(robot) {
  const once = () => robot.mine && !document.hidden && robot.order("heartbeat");
  setInterval(once, PERIOD_MS);
  // The first one at once: a start right after taking control must not find the switch open.
  robot.addEventListener("control", once);
  document.addEventListener("visibilitychange", once);
}
