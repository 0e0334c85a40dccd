// A file that is dropped anywhere on a page that keeps things: told to the page as `o-files`.

import { page, say } from "../data/facts.js";
import { define, useAttributes } from "../parts/element.js";
import { useEffect, useRef, useSignal } from "../vendor/preact.js";

const carriesFiles = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");

function Drop({ element }) {
  const over = useSignal(false);
  const depth = useRef(0); // dragenter and dragleave also fire for every child
  useAttributes(element, { "data-on": over.value });
  useEffect(() => {
    const become = (deep) => {
      depth.current = Math.max(deep, 0);
      over.value = depth.current > 0;
    };
    const on = (type, listener) =>
      document.addEventListener(type, (event) => carriesFiles(event) && listener(event), true);
    on("dragenter", () => become(depth.current + 1));
    on("dragleave", () => become(depth.current - 1));
    on("dragover", (event) => event.preventDefault());
    on("drop", (event) => {
      event.preventDefault();
      event.stopPropagation();
      become(0);
      document.dispatchEvent(new CustomEvent("o-files", { detail: [...event.dataTransfer.files] }));
    });
  }, []);
  return say(`drop.${page}`);
}

define("o-drop", Drop);
