// Runs in the head, before anything is painted: Gradio reads theme_mode when it boots, and the class colours the first
// paint.
(() => {
  const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  const dark = (localStorage["orrery.theme"] ?? system) === "dark";
  document.documentElement.classList.toggle("dark", dark);
  new MutationObserver((_, observer) => {
    const app = document.querySelector("gradio-app");
    if (!app) return;
    observer.disconnect();
    app.setAttribute("theme_mode", dark ? "dark" : "light");
    document.body.classList.toggle("dark", dark);
  }).observe(document.documentElement, { childList: true, subtree: true });
})();
