import { effect, signal } from "@preact/signals";
import { THEME_KEY } from "./early-request.ts";

/** `system`: as the browser is set. */
export type Theme = "system" | "light" | "dark";
export const THEMES: readonly Theme[] = ["system", "light", "dark"];

const isSystemDark = matchMedia("(prefers-color-scheme: dark)");
const systemIsDark = signal(isSystemDark.matches);
isSystemDark.addEventListener("change", ({ matches }) => {
  systemIsDark.value = matches;
});

/** The chosen theme, remembered in this browser. */
export const theme = signal<Theme>(themeOf(localStorage.getItem(THEME_KEY)));

/** Sets the theme and remembers it in this browser. */
export function chooseTheme(chosen: Theme): void {
  localStorage.setItem(THEME_KEY, chosen);
  theme.value = chosen;
}

function themeOf(text: string | null): Theme {
  return THEMES.find((one) => one === text) ?? "system";
}

// Before the first element is drawn; the colour of the browser's own bars follows.
effect(() => {
  const isDark = theme.value === "system" ? systemIsDark.value : theme.value === "dark";
  const root = document.documentElement;
  root.dataset["theme"] = isDark ? "dark" : "light";
  const colour = getComputedStyle(root).getPropertyValue("--bg").trim();
  document.querySelector('meta[name="theme-color"]')?.setAttribute("content", colour);
});
