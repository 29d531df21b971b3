import { say } from "./language.ts";
import type { WordKey } from "./words/catalogue.ts";

/** How far back a picture goes: one of a few spans. */
export function SpanChoice<T extends number>({
  spans,
  hours,
  choose,
}: {
  readonly spans: readonly (readonly [hours: T, name: WordKey])[];
  readonly hours: T;
  readonly choose: (hours: T) => void;
}) {
  return (
    <div role="group" aria-label={say("lanes.span")}>
      {spans.map(([one, name]) => (
        <button
          type="button"
          class="plain"
          key={one}
          aria-pressed={hours === one}
          onClick={() => choose(one)}
        >
          {say(name)}
        </button>
      ))}
    </div>
  );
}
