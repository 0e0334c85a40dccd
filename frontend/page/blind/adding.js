// A pair that a person recorded, of a real arm: a task, and a video of each policy.

import { say } from "../data/facts.js";
import { upload } from "../media/media_facts.js";
import { html, useRef, useSignal } from "../vendor/preact.js";
import { blind } from "./store.js";

const SUCCESS = { "": null, yes: true, no: false };

export function BlindPairForm({ test }) {
  const form = useRef(null);
  const busy = useSignal(false);
  const status = useSignal("");

  async function add(event) {
    event.preventDefault();
    busy.value = true;
    status.value = "";
    const said = new FormData(form.current);
    const episodes = [];
    for (const [place, policy] of test.policies.entries()) {
      // The name of a file may tell who is who, and the library shows it.
      const file = new File([said.get(`video ${place}`)], "episode.mp4");
      const video = await upload(file, (why) => {
        status.value = why;
      });
      if (video) episodes.push({ policy, videos: [video.id], success: SUCCESS[said.get(`success ${place}`)] });
    }
    const pair = { id: String(said.get("name")).trim(), task: String(said.get("task")).trim(), episodes };
    if (episodes.length === 2 && (await blind.addPair(pair))) {
      form.current?.reset();
      status.value = say("blind.added");
    }
    busy.value = false;
  }

  return html`
    <form
      ref=${form}
      class="o-card-plain o-stack o-blind-form"
      aria-label=${say("blind.view_add")}
      onSubmit=${add}
    >
      <p class="o-hint">${say("blind.add_hint")}</p>
      <label>
        <span>${say("blind.task_name")}</span>
        <input
          class="o-select"
          name="name"
          maxlength="300"
          autocomplete="off"
          required
          placeholder=${say("blind.task_name_hint")}
        />
      </label>
      <label>
        <span>${say("blind.task")}</span>
        <input class="o-select" name="task" maxlength="1000" autocomplete="off" required />
      </label>
      ${test.policies.map(
        (policy, place) => html`
          <label key=${`video ${policy}`}>
            <span>${say("blind.video_of", { policy })}</span>
            <input class="o-select" type="file" name=${`video ${place}`} accept="video/*" required />
          </label>
          <label key=${`success ${policy}`}>
            <span>${say("blind.success_of", { policy })}</span>
            <select class="o-select" name=${`success ${place}`}>
              <option value="">${say("blind.unknown")}</option>
              <option value="yes">${say("blind.yes")}</option>
              <option value="no">${say("blind.no")}</option>
            </select>
          </label>
        `,
      )}
      <div class="o-acts">
        <span class="o-hint" role="status">${status.value}</span>
        <button type="submit" class="o-btn o-primary" disabled=${busy.value}>${say("blind.add")}</button>
      </div>
    </form>
  `;
}
