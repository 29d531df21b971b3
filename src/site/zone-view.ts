import type { JourneyView } from "./journey-view.ts";
import type { LastMessageView } from "./discovery-view.ts";
import type { Fault } from "../domain/fault.ts";
import type { LifeSafetyHeld } from "../domain/life-safety.ts";
import type { LoopView } from "../domain/loop.ts";
import type { WalkTestProgress } from "../domain/walk-test.ts";
import type { Contact, ZoneKind, ZoneObjective } from "../domain/zone.ts";

export interface ZoneView {
  readonly id: string;
  readonly name: string;
  readonly kind: ZoneKind;
  /** Whether it is a zone of fire, gas, medical, hold-up or panic. */
  readonly isLifeSafety: boolean;
  readonly source: "gpio" | "mqtt" | "simulated" | "dc09" | "adc" | "supply";
  readonly objective: ZoneObjective;
  readonly contact: Contact;
  /** Time of the last change, ISO 8601 UTC; null before the first reading. */
  readonly since: string | null;
  /** Disposition of a trip now: `waiting` for dispatch, or why it is suppressed. */
  readonly disposition: "waiting" | "bypassed" | "test" | "gated" | "swinger";
  readonly reason: string | null;
  /** The bypass with its start and end, ISO 8601 UTC; null if there is none. */
  readonly bypass: {
    readonly reason: string;
    readonly who: string;
    readonly since: string;
    readonly until: string;
  } | null;
  /** When its swinger shutdown ends unless it trips again, ISO 8601 UTC; null if it is in none. */
  readonly shutDownUntil: string | null;
  /**
   * The value of its last MQTT message, if the zone has had no reading and names it neither in `open` nor in `normal`: on one line, at
   * most 40 characters. Null otherwise.
   */
  readonly unnamedValue: string | null;
  /** What its loop with end-of-line resistors shows; null for a zone without one. */
  readonly loop: LoopView | null;
  /** Faults of the zone, the most serious first. */
  readonly faults: readonly { readonly fault: Fault; readonly since: string }[];
  /**
   * The charge that its sensor has last reported, in percent, and when; null if it reports none. The time is at most an hour older
   * than the last report of the same charge.
   */
  readonly battery: { readonly percent: number; readonly at: string } | null;
  /** Its last trip in a walk test with its present sensor, ISO 8601 UTC; null if there was none. */
  readonly testedAt: string | null;
  /** Trips in the zone's own incidents since it was last quiet; `notStored`: counted but not stored, because there were too many. */
  readonly trips: { readonly recent: number; readonly notStored: number };
}

/** Where a zone reads its contact, and what came last. Fields that its source does not have are null. */
export interface ZoneSourceView {
  readonly id: string;
  /** MQTT topic filter, and the path of the value in its messages. */
  readonly topic: string | null;
  readonly path: string | null;
  /** GPIO line, or channel of a converter. */
  readonly line: number | null;
  /** GPIO chip or converter by its name; null for the chip of `gpio.chip`. */
  readonly converter: string | null;
  /** Account of an alarm panel, and the number of the zone there. */
  readonly account: string | null;
  readonly number: number | null;
  /**
   * What keeps it open, if several topics or numbers open it: topics, or numbers such as `4`, or `1/4` with their partition; `E301` or
   * `AT` is a code that came without a number. `#` stands for those beyond the first 256. Empty otherwise.
   */
  readonly openBy: readonly string[];
  /** The topics that report tamper, a low battery or an unavailable sensor, if several topics may report it. Empty otherwise. */
  readonly faultyBy: readonly string[];
  /** The last message that it has read since the daemon started; null before the first. */
  readonly lastMessage: LastMessageView | null;
}

/** A zone after a bypass, with the life-safety zones that it suppresses. */
export type BypassView = ZoneView & { readonly lifeSafetySuppressed: readonly LifeSafetyHeld[] };

/** History of a zone; all times ISO 8601 UTC. */
export interface ZoneHistoryView {
  readonly id: string;
  /** Trips and faults before it are missing, because there were too many after it; null if the whole period is here. */
  readonly completeSince: string | null;
  /** Times of the newest 500 trips. */
  readonly trips: readonly string[];
  /** The newest 500 openings and restores with their result, oldest first. */
  readonly contacts: readonly ContactView[];
  readonly faults: readonly SpanView[];
  readonly bypasses: readonly SpanView[];
}

/** One opening or restore of a zone. */
export interface ContactView {
  readonly at: string;
  /** `trip`; `standing`: already open when it was armed, or still open after its alarm; `restore`: returned to normal. */
  readonly event: "trip" | "standing" | "restore";
  /** Its result, such as `posted`, `merged`, `bypassed`, `recorded`. */
  readonly state: string;
  /** Why it was not dispatched or recorded; null otherwise. */
  readonly reason: string | null;
  /** Its intervention; null for none. */
  readonly interventionId: number | null;
}

export interface SpanView {
  readonly from: string;
  /** The current time if it has not ended. */
  readonly to: string;
}

export interface SimulationView {
  readonly zone: string;
  /** The contact afterwards, as reported by the zone's own sensor. */
  readonly contact: Contact;
  /** Whether the contact has changed. */
  readonly changed: boolean;
  /**
   * Why the contact is not the requested one. `sensor`: the zone's own sensor controls it. `settling`: the reading is not
   * stable yet. Null if it is the requested one.
   */
  readonly unchangedBy: "sensor" | "settling" | null;
  /** Keys of the resulting trips. */
  readonly trips: readonly string[];
  /** Why they are suppressed, such as `bypassed: painter (ana@example.ro)`; null if they are dispatched. */
  readonly suppressed: string | null;
}

/** The running walk test, or the stored result of the last one. All times ISO 8601 UTC. */
export interface WalkTestView extends WalkTestProgress {
  readonly running: boolean;
  /** Null until it has ended. */
  readonly ended: string | null;
  /** Who ended it, `santinela` when its time was over; null while it runs, and for one that ended with an earlier release. */
  readonly endedBy: string | null;
  /** SHA-256 of its stored result, which `/site/walk-tests/{id}` responds with, in hexadecimal digits; null as `endedBy`. */
  readonly sha256: string | null;
  /** Life-safety zones that it suppresses; empty when it is not running. */
  readonly lifeSafetySuppressed: readonly LifeSafetyHeld[];
  /** Zones that are open now and are dispatched as soon as it ends; empty when it is not running. */
  readonly dispatchedAtEnd: readonly { readonly id: string; readonly name: string }[];
}

/** A walk test that has ended, in a list. Times are ISO 8601 UTC. */
export interface EndedWalkTestView {
  readonly number: number;
  readonly who: string;
  readonly since: string;
  readonly ended: string;
  /** Null, as the following, for one that ended with an earlier release: it has no stored result. */
  readonly endedBy: string | null;
  /** The number of its zones, and of those that have tripped. */
  readonly zones: number | null;
  readonly tested: number | null;
  /** SHA-256 of its result, in hexadecimal digits. */
  readonly sha256: string | null;
}

/** State of a signal test. */
export interface SignalTestView {
  readonly key: string;
  readonly zone: string;
  /** ISO 8601 UTC. */
  readonly since: string;
  /** `waiting` in the journal, `posted` as a local intervention, `refused` by the local API, `arrived` at the centre. */
  readonly state: "waiting" | "posted" | "refused" | "arrived";
  /** Whether it is complete: at the dispatch centre, or in the local records of a standalone daemon. */
  readonly isOver: boolean;
  readonly interventionId: number | null;
  readonly upstreamId: number | null;
  /** Reason of a delay or rejection; null if there is none. */
  readonly reason: string | null;
  /** How far it has come, as an alarm would; null if its record was deleted. */
  readonly journey: JourneyView | null;
}
