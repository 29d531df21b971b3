import type { ComponentChildren } from "preact";

/** - `good`, `bad`, `warn`: how it stands. `quiet`: it says nothing of the kind. */
export type Tone = "good" | "bad" | "warn" | "quiet";

/** A sign for each tone: no reader has to tell red from green. */
export const SIGNS: Readonly<Record<Tone, string>> = { good: "●", bad: "▲", warn: "◆", quiet: "○" };

/** A word with a colour and a sign: nobody has to tell red from green. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return (
    <span class={`badge ${tone}`}>
      <span aria-hidden="true">{SIGNS[tone]}</span> {children}
    </span>
  );
}
