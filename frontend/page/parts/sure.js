// A question before what nothing takes back: a yes answers it; Escape and the other button are no.

import { make } from "./nodes.js";

const WORDS = "o-sure-words";

/** Whether it is meant; `yes` and `no` are what the buttons say. */
export function confirmed(question, yes, no) {
  const answer = (value, style, words) => make("button", { value, class: style }, words);
  const dialog = make(
    "dialog",
    { class: "o-sheet o-sure", role: "alertdialog", "aria-labelledby": WORDS },
    make(
      "form",
      { method: "dialog" },
      make("p", { id: WORDS }, question),
      make("div", { class: "o-sheet-acts" }, answer("no", "o-btn", no), answer("yes", "o-btn o-bad", yes)),
    ),
  );
  document.querySelector(".o-keeping").append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
  });
}
