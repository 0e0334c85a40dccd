// The header: what is loaded and how it is, what the queue holds. Its markup is in the served HTML.

import { say, title as pageTitle } from "./facts.js";
import { percent, queued, running } from "./jobs.js";
import { live } from "./live.js";
import { mark, show, write } from "./nodes.js";
import { Part } from "./part.js";
import { isDark, toggleTheme } from "./theme.js";

const DOT = { preparing: "wait", loading: "wait", ready: "good", failed: "bad", lost: "wait" };

class Header extends Part {
  build() {
    this.checkpoint = this.querySelector("[data-pill=checkpoint]");
    this.queue = this.querySelector("[data-pill=queue]");
    this.theme = this.querySelector("[data-do=theme]");
    this.theme.addEventListener("click", () => {
      toggleTheme();
      this.later();
    });
    this.querySelector("[data-do=keys]").addEventListener("click", () => document.querySelector(".o-keys").showModal());
    this.querySelector(".o-menu").addEventListener("click", () => document.querySelector("o-rail").toggle());
  }

  paint(state) {
    mark(this, "data-state", live.status);
    mark(this.theme, "aria-pressed", isDark());
    this.#paintCheckpoint(state.system.checkpoint);
    const [busy, waiting] = [running(state), queued(state)];
    show(this.queue, live.seq >= 0);
    write(this.queue, say("header.queue", { running: busy.length, waiting: waiting.length }));
    const [job] = busy;
    document.title = job ? say("title.running", { percent: percent(job), title: pageTitle }) : pageTitle;
  }

  #paintCheckpoint(checkpoint) {
    const [dot, title, state, detail] = this.checkpoint.children;
    const lost = live.status === "lost";
    const known = checkpoint && !lost;
    mark(dot, "data-state", lost ? "bad" : (DOT[checkpoint?.state] ?? "wait"));
    write(title, known ? checkpoint.title : say(lost ? "header.reconnecting" : "header.connecting"));
    write(state, known ? say(`header.${checkpoint.state}`) : "");
    write(detail, known ? checkpoint.detail : "");
    mark(this.checkpoint, "data-state", known ? checkpoint.state : live.status);
  }
}

customElements.define("o-header", Header);
