import { useEffect, useState } from "preact/hooks";
import { later } from "./clock.ts";

/** Delay after the last key press: a search at a large centre costs it half a second. */
const TYPING_MS = 250;

/** A text that is being typed, as it was when the user last paused: what is requested with it is not requested for each letter. */
export function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => (text === settled ? undefined : later(TYPING_MS, () => setSettled(text))), [text, settled]);
  return settled;
}
