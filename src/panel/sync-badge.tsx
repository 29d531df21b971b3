import type { OutboxPhase } from "../domain/outbox.ts";
import type { LinkView } from "../http/site/sync-port.ts";
import { Badge, type Tone } from "./badge.tsx";
import { say } from "./language.ts";

/** How good each state of the link is. */
export const LINK_TONES: Readonly<Record<LinkView["state"], Tone>> = {
  none: "quiet",
  unknown: "quiet",
  up: "good",
  down: "bad",
};

/** How far a record is on its way; one that is not in the queue has arrived. */
export function SyncBadge({ phase }: { readonly phase: OutboxPhase | undefined }) {
  if (phase === undefined) return <Badge tone="good">{say("sync.arrived")}</Badge>;
  return <Badge tone={isStuck(phase) ? "bad" : "quiet"}>{say(`phase.${phase}`)}</Badge>;
}

/** Whether a record waits for a person. */
export function isStuck(phase: OutboxPhase): boolean {
  return phase === "blocked" || phase === "rejected" || phase === "gone";
}
