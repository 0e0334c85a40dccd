// The header: what is loaded and how it is, what the queue holds, whether a guardrail looks on, and that the connection
// is gone. Its markup is in the served HTML.

import "../data/gone.js";
import "./notify.js";
import { duration, say, title as pageTitle } from "../data/facts.js";
import { percent, queued, running } from "../data/jobs.js";
import { live } from "../data/live.js";
import { make, mark, show, write } from "../parts/nodes.js";
import { Part } from "../parts/part.js";
import { isDark, toggleTheme } from "./theme.js";

const LOST_FOR_MS = 2500; // a server that restarts is back before anybody needs a banner

const DOT = { ready: "good", failed: "bad" }; // anything else waits

class Header extends Part {
  build() {
    this.checkpoint = this.querySelector("[data-pill=checkpoint]");
    this.queue = this.querySelector("[data-pill=queue]");
    this.guardrail = this.querySelector("[data-pill=guardrail]");
    this.explains = this.querySelector("#o-guardrail");
    this.lost = this.querySelector(".o-lost");
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
    const busy = running(state);
    this.#paintQueue(state, busy.length);
    this.#paintGuardrail(state.system.guardrail);
    this.#paintLost();
    const [job] = busy;
    document.title = job ? say("title.running", { percent: percent(job), title: pageTitle }) : pageTitle;
  }

  // The count comes with the queue's own state, where the page knows only the first of a long one.
  #paintQueue(state, busy) {
    const { num_queued: told, seconds_left: left, paused } = state.system.queue ?? {};
    const waiting = told ?? queued(state).length;
    const [words, short, more] = this.queue.children;
    show(this.queue, live.seq >= 0);
    write(words, say("header.queue", { running: busy, waiting }));
    write(short, say("header.queue_short", { running: busy, waiting }));
    mark(this.queue, "aria-label", say("header.queue", { running: busy, waiting }));
    write(more, paused ? say("header.paused") : left ? say("header.left", { time: duration(left) }) : "");
    mark(this.queue, "data-state", paused ? "paused" : null);
  }

  #paintGuardrail(guardrail) {
    show(this.guardrail, Boolean(guardrail));
    if (!guardrail) return;
    const words = say(`guardrail.${guardrail.state}`);
    const explains = [
      say(`guardrails.${guardrail.state}`),
      guardrail.required ? say("guardrail.required") : "",
      guardrail.detail,
    ].filter(Boolean);
    write(this.guardrail.lastChild, words);
    mark(this.guardrail, "data-state", guardrail.state);
    mark(this.guardrail, "aria-label", say("guardrail.title", { state: words }));
    if (this.explains.dataset.key === explains.join()) return;
    this.explains.dataset.key = explains.join();
    mark(this.explains, "aria-label", say("guardrail.title", { state: words }));
    this.explains.replaceChildren(
      make("b", {}, say("guardrail.title", { state: words })),
      ...explains.map((line) => make("p", {}, line)),
    );
  }

  #paintLost() {
    const lost = live.status === "lost";
    if (!lost) {
      clearTimeout(this.losing);
      this.losing = 0;
      show(this.lost, false);
      return;
    }
    this.losing ||= setTimeout(() => {
      write(this.lost, say("header.gone"));
      show(this.lost, true);
    }, LOST_FOR_MS);
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
