// The header: what is loaded and how it is, what the queue holds, whether a guardrail looks on, and that the connection
// is gone. Its markup is in the served HTML; here is what is in its pills.

import "../data/gone.js";
import "./notify.js";
import "./palette.js";
import { duration, say, title as pageTitle } from "../data/facts.js";
import { percent, queued, running } from "../data/jobs.js";
import { live } from "../data/live.js";
import { seen } from "../data/store.js";
import { Icon } from "../parts/icons.js";
import { Popover } from "../parts/popover.js";
import { CheckpointMenu } from "./checkpoint_menu.js";
import { openSettings } from "./settings.js";
import { theme } from "./theme.js";
import { html, render, useEffect, useLayoutEffect } from "../vendor/preact.js";

const LOST_FOR_MS = 2500; // a server that restarts is back before anybody needs a banner
const DOT = { ready: "good", failed: "bad" }; // anything else waits

// Gradio writes the title of its first page over every other one's.
if (window.gradio_config) window.gradio_config.title = pageTitle;

class Header extends HTMLElement {
  connectedCallback() {
    const find = (selector) => this.querySelector(selector);
    const draw = (Component, element) => render(html`<${Component} element=${element} />`, element);
    draw(Checkpoint, find(".o-serving"));
    draw(Queue, find("[data-pill=queue]"));
    draw(Guardrail, find(".o-explains"));
    draw(Lost, find(".o-lost"));
    const dark = find("[data-do=theme]");
    const press = () => dark.setAttribute("aria-pressed", String(theme.isDark));
    press();
    theme.addEventListener("state", press);
    dark.addEventListener("click", () => theme.choose(theme.isDark ? "light" : "dark"));
    document.querySelector("o-rail [data-do=settings]").addEventListener("click", openSettings);
    find("[data-do=keys]").addEventListener("click", () => document.querySelector(".o-keys").showModal());
    find(".o-menu").addEventListener("click", () => document.querySelector("o-rail").toggle());
  }
}

function Checkpoint({ element }) {
  const { status, state } = seen(live);
  const { checkpoint } = state.system;
  const lost = status === "lost";
  const known = checkpoint && !lost;
  useLayoutEffect(() => {
    element.parentElement.dataset.state = status;
  }, [status]);
  const face = html`
    <i class="o-dot" data-state=${lost ? "bad" : (DOT[checkpoint?.state] ?? "wait")} />
    <b>${known ? checkpoint.title : say(lost ? "header.reconnecting" : "header.connecting")}</b>
    <span role="status">${known && say(`header.${checkpoint.state}`)}</span>
    <small>${known && checkpoint.detail}</small>
    <${Icon} name="down" size="13" />
  `;
  return html`
    <${Popover}
      label=${say("header.checkpoints")}
      class="o-pill"
      title=${say("header.checkpoints")}
      data-pill="checkpoint"
      data-state=${known ? checkpoint.state : status}
      face=${face}
    >
      ${(close) => html`<${CheckpointMenu} close=${close} />`}
    <//>
  `;
}

function Queue({ element }) {
  const { seq, state } = seen(live);
  const busy = running(state);
  // The count comes with the queue's own state, where the page knows only the first of a long one.
  const { num_queued: told, seconds_left: left, paused } = state.system.queue ?? {};
  const { num_answering: answering } = state.system;
  const counts = { running: busy.length, waiting: told ?? queued(state).length };
  const words = [say("header.queue", counts), answering && say("header.answering", { answering })]
    .filter(Boolean)
    .join(" · ");
  const title = busy.length ? say("title.running", { percent: percent(busy[0]), title: pageTitle }) : pageTitle;
  const hidden = seq < 0;
  useLayoutEffect(() => {
    document.title = title;
    element.hidden = hidden;
    element.setAttribute("aria-label", words);
    element.dataset.state = paused ? "paused" : "";
  }, [title, hidden, words, paused]);
  return html`
    <span class="o-wide-only">${words}</span>
    <span class="o-narrow-only" aria-hidden="true">${say("header.queue_short", counts)}</span>
    <small>${paused ? say("header.paused") : left ? say("header.left", { time: duration(left) }) : ""}</small>
  `;
}

/** What the guardrail's pill explains when it is pressed, and its few words. */
function Guardrail({ element }) {
  const { guardrail } = seen(live).state.system;
  const words = guardrail && say(`guardrail.${guardrail.state}`);
  const title = guardrail && say("guardrail.title", { state: words });
  useLayoutEffect(() => {
    const pill = document.querySelector("[data-pill=guardrail]");
    pill.hidden = !guardrail;
    if (!guardrail) return;
    pill.lastChild.textContent = words;
    pill.dataset.state = guardrail.state;
    for (const named of [pill, element]) named.setAttribute("aria-label", title);
  }, [title]);
  if (!guardrail) return null;
  const lines = [
    say(`guardrails.${guardrail.state}`),
    guardrail.required && say("guardrail.required"),
    guardrail.detail,
  ];
  return html`<b>${title}</b>${lines.filter(Boolean).map((line) => html`<p>${line}</p>`)}`;
}

function Lost({ element }) {
  const lost = seen(live).status === "lost";
  useEffect(() => {
    if (!lost) return;
    const losing = setTimeout(() => (element.hidden = false), LOST_FOR_MS);
    return () => {
      clearTimeout(losing);
      element.hidden = true;
    };
  }, [lost]);
  return lost && say("header.gone");
}

customElements.define("o-header", Header);
