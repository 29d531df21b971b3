import type { Tone } from "./badge.tsx";
import type { tabLevel } from "./live-updates.ts";

type Level = Exclude<typeof tabLevel.value, undefined>;

const UNKNOWN = ["off", "M11 12a5 5 0 1 1 7 4.5q-2 1-2 3.5m0 4v2"] as const;
/** The tokens of the colours of each level, as in tokens.css, and the path of its sign. */
const LOOKS: Readonly<Record<Exclude<Level, "well">, readonly [tone: Tone, sign: string]>> = {
  alarm: ["alarm", "M16 6v13m0 4v3"],
  fault: ["fault", "m9 9 14 14m0-14L9 23"],
  attention: ["attention", "M7 16h18"],
  unknown: UNKNOWN,
  expired: UNKNOWN,
};

const link = document.querySelector<HTMLLinkElement>("link[rel=icon]");
const ownIcon = link?.href ?? "";
let shown: Level = "well";

/**
 * Shows a level in the icon of the tab. The picture is made in memory, which the content security policy allows: it is also
 * needed while the daemon does not answer. A form of its own for each level, because some users cannot tell colours apart.
 */
export function show(level: Level): void {
  if (!link || level === shown) return;
  shown = level;
  if (link.href !== ownIcon) URL.revokeObjectURL(link.href);
  link.href = level === "well" ? ownIcon : URL.createObjectURL(picture(...LOOKS[level]));
}

function picture(tone: Tone, sign: string): Blob {
  const style = getComputedStyle(document.documentElement);
  const colour = (token: string): string => style.getPropertyValue(token).trim();
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="15" fill="${colour(`--${tone}-fill`)}"/>` +
    `<path d="${sign}" fill="none" stroke="${colour(`--on-${tone}`)}" stroke-width="4" stroke-linecap="round"/></svg>`;
  return new Blob([svg], { type: "image/svg+xml" });
}
