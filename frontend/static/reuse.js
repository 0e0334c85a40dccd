// Settings on their way back into the form; the page's handler fills in the fields that are named.

/** Some fields of a request, nested as in JSON. */
export const fill = (values) => document.dispatchEvent(new CustomEvent("o-use", { detail: values }));

/** A whole request, its seed locked so that Generate makes the same picture. */
export const useAgain = (request) => fill({ ...request, seed_lock: true });
