import type { Headline, HeadlineCode } from "./headline.ts";
import type { LinkStatus } from "./link-status.ts";
import type { ZoneKind } from "./zone.ts";

/** What turns an output on. */
export type OutputReason = "alarm" | "link-lost" | "not-ready";

/** A relay or a topic that shows an alarm, a lost link or a site that is not ready. */
export interface Output {
  readonly name: string;
  readonly reason: OutputReason;
  /** Kinds of the zones whose trips turn it on; null for all. */
  readonly kinds: readonly ZoneKind[] | null;
  readonly target: OutputTarget;
  /** Time for which it is on, milliseconds; null for as long as the reason lasts. */
  readonly pulseMs: number | null;
  /** Time for which the reason must last first, milliseconds. */
  readonly delayMs: number;
  /** Off while the reason lasts, and on otherwise. */
  readonly isInverted: boolean;
}

export type OutputTarget =
  | {
      readonly by: "gpio";
      readonly gpio: number;
      /** Name in `gpio.chips`; undefined for the chip of `gpio.chip`. */
      readonly chip: string | undefined;
      /** Level of the line when the output is on. */
      readonly active: 0 | 1;
    }
  | { readonly by: "mqtt"; readonly topic: string; readonly on: string; readonly off: string };

/** A topic whose retained message may switch something on. */
export interface OutputTopic extends Pick<Output, "name" | "reason"> {
  readonly topic: string;
  /** The message that switches it off. */
  readonly off: string;
}

/** Keeps the topics beyond the end of the daemon. */
export interface OutputTopicStore {
  load(): readonly OutputTopic[];
  /** @throws Error of the disk */
  save(topics: readonly OutputTopic[]): void;
}

/** What the reasons are computed from. */
export interface OutputFacts {
  readonly headline: Pick<Headline, "reasons">;
  readonly link: Pick<LinkStatus, "state">;
  readonly alarm: AlarmFacts;
}

/** Alarms that are not done; a trip in its entry delay is none yet. */
export interface AlarmFacts {
  /** Whether there is one, also without a zone: a person or the dispatch centre has written it. */
  readonly isGiven: boolean;
  /** Kinds of the zones that have one. Read only for an output that asks for kinds. */
  readonly kinds: () => ReadonlySet<ZoneKind>;
  /** False while a damaged page may hide an alarm. To be asked last: the page may just have been met. */
  readonly isComplete: () => boolean;
}

/** A site that is not ready may miss an alarm, or cannot be armed. */
const NOT_READY: readonly HeadlineCode[] = [
  "starting",
  "zone-fault",
  "zone-shut-down",
  "condition-error",
  "zone-not-ready",
  "zone-unknown",
];

/** Whether the reason of an output applies now. @param wasGiven before: an alarm that cannot be read is not over */
export function isGiven(
  { reason, kinds }: Pick<Output, "reason" | "kinds">,
  { headline, link, alarm }: OutputFacts,
  wasGiven: boolean,
): boolean {
  if (reason === "link-lost") return link.state === "down";
  if (reason === "not-ready") return headline.reasons.some(({ code }) => NOT_READY.includes(code));
  const isAlarm = kinds === null ? alarm.isGiven : kinds.some((kind) => alarm.kinds().has(kind));
  return isAlarm || (wasGiven && !alarm.isComplete());
}

/** An output as the panel and the command line show it. */
export interface OutputView {
  readonly name: string;
  readonly reason: OutputReason;
  /** Its line or topic. */
  readonly target: string;
  /** Null before its first switch and while it cannot be switched. */
  readonly isOn: boolean | null;
  /** Last switch, ISO 8601 UTC. */
  readonly since: string | null;
  /** Why it cannot be switched; null if it can. */
  readonly fault: string | null;
  /** Whether it is used for its reason now; it cannot be tested then. */
  readonly isInUse: boolean;
  /** When that use ends, ISO 8601 UTC; null if it is not used, or for as long as its reason lasts. */
  readonly until: string | null;
}
