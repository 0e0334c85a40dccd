// Light or dark: what the system says until a person chooses.

const KEY = "orrery.theme"; // also read in the head, before the first paint

export const isDark = () => document.body.classList.contains("dark");

export function toggleTheme() {
  const dark = !isDark();
  localStorage[KEY] = dark ? "dark" : "light";
  for (const root of [document.documentElement, document.body]) root.classList.toggle("dark", dark);
}
