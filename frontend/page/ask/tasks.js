// The tasks that the reasoner was trained for, as buttons; one that wants words asks for them first.

import { asking } from "./asking.js";
import { subject } from "./subject.js";
import { say } from "../data/facts.js";
import { ask } from "../parts/server.js";
import { seen } from "../data/store.js";
import { html, useEffect, useLayoutEffect, useRef, useSignal } from "../vendor/preact.js";

export function Tasks() {
  const tasks = useSignal([]);
  const chosen = useSignal(null); // the task whose words are asked for
  const form = useRef(null);
  const { item } = seen(subject);
  const { busy } = seen(asking);
  const fit = tasks.value.filter((task) => task.media.includes(item?.type));
  const open = fit.includes(chosen.value) ? chosen.value : null;
  useEffect(() => {
    ask("GET", "/v1/tasks").then((answer) => {
      tasks.value = answer?.tasks ?? [];
    });
  }, []);
  useLayoutEffect(() => form.current?.querySelector("input").focus(), [open]);
  if (!fit.length) return null;

  const choose = (task) => {
    if (!task.fields.length) asking.task(task, {});
    else chosen.value = open === task ? null : task;
  };
  const submit = (event) => {
    event.preventDefault();
    if (busy) return;
    chosen.value = null;
    asking.task(open, Object.fromEntries([...new FormData(form.current)].filter(([, said]) => String(said).trim())));
  };
  return html`
    <o-ask-tasks>
      <div class="o-chip-group" role="group" aria-label=${say("ask.tasks")}>
        ${fit.map(
          (task) => html`
            <button
              key=${task.id}
              type="button"
              class="o-chip"
              title=${task.summary}
              data-task=${task.id}
              disabled=${busy}
              aria-expanded=${open === task ? "true" : null}
              onClick=${() => choose(task)}
            >
              ${task.title}
            </button>
          `,
        )}
      </div>
      ${
        open &&
        html`<form key=${open.id} ref=${form} class="o-task-form" onSubmit=${submit}>
          ${open.fields.map(
            (field) => html`
              <label>
                ${field.title}
                <input
                  class="o-select"
                  name=${field.name}
                  placeholder=${field.default || field.example}
                  required=${!field.default}
                  maxlength="4000"
                  autocomplete="off"
                />
              </label>
            `,
          )}
          <button class="o-btn o-primary">${open.title}</button>
        </form>`
      }
    </o-ask-tasks>
  `;
}
