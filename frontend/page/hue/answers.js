// What is wrong with which video: answered questions, those that people decided No first.

import { counted, say } from "../data/facts.js";
import { AnswerList, Medium, PAGE } from "../parts/answer_list.js";
import { ask } from "../parts/server.js";
import { html, useEffect, useSignal } from "../vendor/preact.js";

const SAID = ["no", "unclear", "yes", ""];

export function HueAnswers({ study }) {
  const model = useSignal("");
  const said = useSignal(SAID[0]);
  const count = useSignal(PAGE);
  const found = useSignal(null); // { total, answers }
  useEffect(() => {
    let current = true;
    const query = new URLSearchParams({ model: model.value, limit: String(count.value) });
    if (said.value) query.set("said", said.value);
    ask("GET", `/v1/hue/${study.id}/ratings?${query}`).then((page) => {
      if (current && page) found.value = page;
    });
    return () => {
      current = false;
    };
  }, [study.num_ratings, study.num_questions, model.value, said.value, count.value]);
  const filter = (name, options, signal, words) => ({ name: say(`hue.by_${name}`), options, signal, words });
  return html`
    <${AnswerList}
      title=${say("hue.wrong")}
      filters=${[
        filter("model", ["", ...study.models], model, (name) => name || say("hue.all_models")),
        filter("said", SAID, said, (name) => say(`hue.said_${name || "all"}`)),
      ]}
      count=${count}
      found=${found.value && { total: found.value.total, shown: found.value.answers.length }}
      nothing=${say("hue.nothing")}
      more=${(left) => counted("hue.more", left)}
    >
      ${found.value?.answers.map(
        (answer) => html`<${Answered} key=${`${answer.video.id} ${answer.question.id}`} answer=${answer} />`,
      )}
    <//>
  `;
}

function Answered({ answer: { video, prompt, question, decided, ratings } }) {
  return html`
    <li data-video=${video.id}>
      <div class="o-evaluate-media">
        <${Medium} id=${video.id} label=${say("hue.play")} />
      </div>
      <div class="o-evaluate-said">
        <p><b>${question.text}</b> ${decided ? say(`hue.${decided}`) : say("hue.undecided")}</p>
        <p><small>${[video.model, say(`hue.${question.dimension}`), prompt].join(" · ")}</small></p>
        <ul role="list" class="o-evaluate-choices">
          ${ratings.map(
            ({ id, rater, said, reason }) =>
              html`<li key=${id}>${rater}: ${say(`hue.${said}`)} <small>${reason}</small></li>`,
          )}
        </ul>
      </div>
    </li>
  `;
}
