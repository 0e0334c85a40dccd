// A question before what nothing takes back: a yes answers it; Escape and the other button are no.

import { html, render, useLayoutEffect, useRef } from "../vendor/preact.js";

const WORDS = "o-sure-words";

/** Whether it is meant; `yes` and `no` are what the buttons say. */
export function confirmed(question, yes, no) {
  const place = document.createElement("div");
  document.querySelector(".o-keeping").append(place);
  return new Promise((resolve) => {
    const answer = (value) => {
      render(null, place);
      place.remove();
      resolve(value === "yes");
    };
    render(html`<${Question} ...${{ question, yes, no, answer }} />`, place);
  });
}

function Question({ question, yes, no, answer }) {
  const dialog = useRef(null);
  useLayoutEffect(() => dialog.current.showModal(), []);
  return html`
    <dialog
      ref=${dialog}
      class="o-sheet o-sure"
      role="alertdialog"
      aria-labelledby=${WORDS}
      onClose=${({ target }) => answer(target.returnValue)}
    >
      <form method="dialog">
        <p id=${WORDS}>${question}</p>
        <div class="o-acts">
          <button value="no" class="o-btn">${no}</button>
          <button value="yes" class="o-btn o-bad">${yes}</button>
        </div>
      </form>
    </dialog>
  `;
}
