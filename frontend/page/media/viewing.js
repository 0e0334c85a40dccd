// What a page looks at, with marks on it where an answer has any. There is one viewer a page: it hears the page's keys.

import { Marks } from "./marks.js";
import { Viewer } from "./viewer.js";
import { html, useLayoutEffect, useRef } from "../vendor/preact.js";

const viewer = new Viewer();
const drawn = new Marks();
viewer.frame.append(drawn.node);

/** `marks` are as `marksOf` finds them; `path` joins their points. */
export function Viewing({ item, marks = [], path = false }) {
  const place = useRef(null);
  useLayoutEffect(() => {
    place.current.append(viewer.node);
    return () => viewer.show(null);
  }, []);
  useLayoutEffect(() => {
    viewer.show(item);
    drawn.draw(marks, path);
  });
  return html`<div ref=${place} style=${{ display: "contents" }} />`;
}

/** Stop the clip that is looked at, if one is, and show it at a time. */
export function seek(seconds) {
  const { clip } = viewer;
  if (clip.hidden) return;
  clip.pause();
  clip.currentTime = seconds;
  viewer.node.scrollIntoView({ block: "nearest" });
}
