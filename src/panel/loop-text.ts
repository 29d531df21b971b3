import type { LoopView } from "../domain/loop.ts";
import { t } from "./i18n.ts";

/** What the loop of a zone shows, with its resistance: `normal · 2200 Ω`. */
export function loopText({ state, ohms }: LoopView): string {
  const word = t(`loop.${state}`);
  return ohms === null ? word : `${word} · ${ohms} Ω`;
}
