import type { ComponentChildren } from "preact";

/** - `good`, `bad`, `warn`: a rating. `quiet`: neutral. */
export type Tone = "good" | "bad" | "warn" | "quiet";

/** A symbol for each tone, for readers who do not see colours. */
export const SYMBOLS: Readonly<Record<Tone, string>> = { good: "●", bad: "▲", warn: "◆", quiet: "○" };

/** A text with the colour and symbol of a tone. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) {
  return (
    <span class={`badge ${tone}`}>
      <span aria-hidden="true">{SYMBOLS[tone]}</span> {children}
    </span>
  );
}
