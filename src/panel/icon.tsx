import { ICONS, type IconName } from "./icons.ts";
import type { MORE_ICONS } from "./more-icons.ts";

let paths: Readonly<Record<string, string>> = ICONS;

/** Adds the icons of the screens that are loaded later. */
export function addIcons(more: typeof MORE_ICONS): void {
  paths = { ...ICONS, ...more };
}

/** An icon in the colour of the text; it has no name, because a word is always next to it. */
export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class="i" viewBox="0 0 24 24" aria-hidden="true">
      <path d={paths[name]} />
    </svg>
  );
}

/** The mark of Santinela: a shield with an eye; also the favicon and the icon of the installed panel. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <path stroke="none" d="M16 2 4 6.5V16c0 7.2 5 12 12 14 7-2 12-6.8 12-14V6.5z" />
      <path stroke-width="2.5" fill="none" d="M9.5 15a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0-13 0z" />
      <path stroke-width="4" stroke-linecap="round" d="M16 15h.01" />
    </svg>
  );
}
