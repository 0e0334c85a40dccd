// A request as something to paste: a command for a shell, two programs, our own command line. Of the form it is what
// Generate would post, of a job what ran, its seed too.

import { toast } from "../parts/errors.js";
import { canvasOf, hasToken, say } from "../data/facts.js";
import { html } from "../vendor/preact.js";

/** A POSIX shell word: 'it'\''s'. */
const quoted = (text) => `'${String(text).replaceAll("'", "'\\''")}'`;

const json = (request) => JSON.stringify(request);

const CONSTANTS = new Map([
  [null, "None"],
  [true, "True"],
  [false, "False"],
]);

/** JSON as Python reads it. */
function python(value) {
  if (CONSTANTS.has(value)) return CONSTANTS.get(value);
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (typeof value !== "object") return json(value);
  return `{${Object.entries(value)
    .map(([name, child]) => `${json(name)}: ${python(child)}`)
    .join(", ")}}`;
}

// The token stays out of it: what is copied is pasted anywhere. The command line reads the same variable by itself.
const CURL = hasToken ? 'curl -sS -H "Authorization: Bearer $ORRERY_TOKEN"' : "curl -sS";

const address = (priority) =>
  `${location.origin}/v1/jobs${priority && priority !== "normal" ? `?priority=${priority}` : ""}`;

const COPIES = {
  curl: (request, priority) =>
    `${CURL} ${quoted(address(priority))} -H 'Content-Type: application/json' -d ${quoted(json(request))}`,
  python: (request, priority) =>
    [
      ...(hasToken ? ["import os", ""] : []),
      "import httpx",
      "",
      `request = ${python(request)}`,
      ...(hasToken ? [`headers = {"Authorization": f"Bearer {os.environ['ORRERY_TOKEN']}"}`] : []),
      `job = httpx.post("${address(priority)}", json=request${hasToken ? ", headers=headers" : ""}).raise_for_status().json()`,
      `print(job["id"], job["state"])`,
    ].join("\n"),
  openai,
  cli: command,
};

// How the command line calls what it does not call by the field's own name; null where it has no flag.
const FLAGS = {
  kind: null,
  prompt: null,
  written_from: null,
  num_inference_steps: "steps",
  guidance_scale: "guidance",
  num_chunk_frames: "chunk-frames",
  num_overlap_frames: "overlap-frames",
  num_source_frames: "source-frames",
  use_system_prompt: "system-prompt",
  use_resolution_template: "resolution-sentence",
  use_duration_template: "duration-sentence",
};
/** Everything that a request names lies in the store; the command line takes files, so they are fetched first. */
function command(request) {
  const { sampling, controls = [], actions, adapter, ...rest } = request;
  const before = [];
  const fetched = (name, id) => {
    before.push(`${CURL} -o ${name} ${location.origin}/v1/media/${id}`);
    return name;
  };
  const said = Object.entries({ ...rest, ...sampling }).flatMap(([name, value]) => {
    const flag = name in FLAGS ? FLAGS[name] : name.replaceAll("_", "-");
    if (flag === null || value === null || value === "") return [];
    if (typeof value === "boolean") return [`--${value ? "" : "no-"}${flag}`];
    if (name === "start_image" || name === "source_video") return [`--${flag} ${fetched(name, value)}`];
    return [`--${flag}=${quoted(Array.isArray(value) ? value.join(",") : value)}`];
  });
  const followed = controls.map(({ hint, video, strength, weight }) => {
    const file = video ? `=${fetched(hint, video)}` : "";
    return `--control ${hint}${file}${strength ? `@${strength}` : ""}${weight === 1 ? "" : `:${weight}`}`;
  });
  if (actions) before.push(`echo ${quoted(json(actions))} > actions.json`);
  const acted = actions ? ["--actions actions.json"] : [];
  const styled = adapter
    ? [`--adapter=${quoted([adapter.name, adapter.scale].filter((part) => part != null).join(":"))}`]
    : [];
  const line = [
    "orrery generate",
    quoted(request.prompt),
    `--kind ${request.kind}`,
    ...said,
    ...styled,
    ...followed,
    ...acted,
    `--server ${location.origin}`,
  ];
  return [...before, line.join(" ")].join("\n");
}

/** Where OpenAI's client reaches a kind of request; what starts from a file is not among them. */
const OPENAI = { generate_image: "images.generate", generate_video: "videos.create_and_poll" };
const OWN_ARGUMENTS = [
  "kind",
  "prompt",
  "checkpoint",
  "resolution",
  "aspect_ratio",
  "count",
  "adapter",
  "written_from",
];
const STARTS = ["start_image", "source_video"];

const isOpenai = (request) => request.kind in OPENAI && !STARTS.some((name) => request[name]) && !request.adapter;

/** With OpenAI's Python client; what it has no argument for goes into the body beside them. */
function openai({ sampling, ...request }) {
  const size = canvasOf(request.resolution, request.aspect_ratio);
  const beside = Object.entries({ ...request, ...sampling }).filter(
    ([name, value]) =>
      !OWN_ARGUMENTS.includes(name) && !name.startsWith("condition_") && value !== null && value !== "",
  );
  const said = {
    ...(request.checkpoint ? { model: request.checkpoint } : {}),
    prompt: request.prompt,
    ...(size ? { size: size.join("x") } : {}),
    ...(request.count > 1 ? { n: request.count } : {}),
    extra_body: Object.fromEntries(beside),
  };
  const key = hasToken ? 'os.environ["ORRERY_TOKEN"]' : '"none"';
  return [
    ...(hasToken ? ["import os", ""] : []),
    "from openai import OpenAI",
    "",
    `client = OpenAI(base_url="${location.origin}/v1", api_key=${key})`,
    `answer = client.${OPENAI[request.kind]}(`,
    ...Object.entries(said).map(([name, value]) => `    ${name}=${python(value)},`),
    ")",
    "print(answer.id)",
  ].join("\n");
}

/** A button for each; `request` is a function, asked when one is pressed. */
export const CopyButtons = ({ request, priority = "normal", class: style = "o-link", copied = () => {} }) =>
  Object.keys(COPIES)
    .filter((name) => name !== "openai" || isOpenai(request()))
    .map(
      (name) => html`
        <button
          key=${name}
          type="button"
          class=${style}
          aria-label=${say(`copy.as_${name}`)}
          onClick=${() => {
            copyAs(name, request(), priority);
            copied();
          }}
        >
          ${say(`copy.${name}`)}
        </button>
      `,
    );

async function copyAs(name, request, priority) {
  const copied = await copy(COPIES[name](request, priority));
  toast(say(copied ? "copy.copied" : "copy.denied"), "", copied ? "good" : "bad");
}

async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

// Plain http on another machine's address is no secure context, and has no clipboard interface.
function copyBySelection(text) {
  const box = Object.assign(document.createElement("textarea"), { value: text, className: "o-sr" });
  document.body.append(box);
  box.select();
  const copied = document.execCommand("copy");
  box.remove();
  return copied;
}
