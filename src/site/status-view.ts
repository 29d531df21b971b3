import type { Condition } from "../domain/condition.ts";
import type { Headline } from "../domain/headline.ts";
import type { LifeSafetyHeld } from "../domain/life-safety.ts";
import type { ZoneKind } from "../domain/zone.ts";
import type { Status } from "../generated/types.ts";
import type { OutboxSummary } from "../domain/outbox.ts";
import type { JourneyView } from "./journey-view.ts";
import type { ComparisonView, LinkView } from "./sync-view.ts";
import type { SupplyView } from "./supply-view.ts";
import type { MonitoringView } from "./transmission-view.ts";

/** The offset of the site's time zone, with which a browser shows times without the slow formats of its own. */
export interface UtcOffsetView {
  /** Minutes that the site is ahead of UTC. */
  readonly minutes: number;
  /** ISO 8601 UTC: the first instant with this offset, as far as searched. */
  readonly since: string;
  /** ISO 8601 UTC: the first instant after it. */
  readonly until: string;
}

/** State of the site. */
export interface StatusView {
  readonly version: string;
  /** A dispatch centre has no zones and no upstream. */
  readonly role: "site" | "centre";
  /** `timezone`: IANA name. */
  readonly site: { readonly name: string; readonly ref: string; readonly timezone: string };
  /** The offset of this time zone now. */
  readonly utcOffset: UtcOffsetView;
  /** ISO 8601 UTC. */
  readonly startedAt: string;
  /** Overall state with its reasons. */
  readonly headline: Headline;
  /** How far the unfinished interventions of the headline have come; at most twelve. */
  readonly journeys: readonly JourneyView[];
  /**
   * The newest unfinished alarms, newest first, at most twenty: a page announces those that it has not seen before, however urgent
   * the others are. Null while they cannot be read.
   */
  readonly newestAlarms: readonly NewestAlarmView[] | null;
  /** The zones whose openings are in an alarm that is not done, or in a trip that has no record yet. */
  readonly alarmZones: readonly AlarmZoneView[];
  /** The newest intervention that a trip of a zone has made, not an inspection of contacts that were already open; null if there is none in the trip journal. */
  readonly lastAlarm: LastAlarmView | null;
  /** Telephone number of the dispatch centre; null if it is not configured. */
  readonly centrePhone: string | null;
  /** Life-safety zones whose trips are not dispatched now. */
  readonly lifeSafetySuppressed: readonly LifeSafetyHeld[];
  readonly conditions: readonly Condition[];
  readonly trips: { readonly waiting: number; readonly refused: number };
  /** MQTT messages without effect since the start, by topic and reason, most frequent first. */
  readonly messages: readonly MessageCountView[];
  readonly outbox: OutboxSummary;
  readonly link: LinkView;
  /** The transmitter to monitoring receivers; null without one. */
  readonly monitoring: MonitoringView | null;
  /** Last comparison with the dispatch centre; null before the first and without a dispatch centre. */
  readonly comparison: ComparisonView | null;
  /** Port of the built-in broker, also if the system has chosen it; null without one, and before it listens. */
  readonly brokerPort: number | null;
  /** The power supply; null without a zone of type power. */
  readonly supply: SupplyView | null;
}

export interface NewestAlarmView {
  /** The intervention. */
  readonly id: number;
  readonly name: string;
}

/** A zone that takes part in an alarm, also if another zone began it and it has returned to normal. */
export interface AlarmZoneView {
  readonly id: string;
  /** The newest such intervention; null while its trip has no record yet. */
  readonly interventionId: number | null;
}

export interface LastAlarmView {
  readonly interventionId: number;
  /** When the contact opened, ISO 8601 UTC; null while the clock was not trusted. */
  readonly at: string | null;
  /** The zone that made it. */
  readonly zone: { readonly id: string; readonly name: string; readonly kind: ZoneKind | null };
  /** How far it has come; null if the intervention is deleted. */
  readonly status: Status | null;
}

export interface MessageCountView {
  readonly topic: string;
  /** `no-zone`: matches no zone on the topic; otherwise why the payload cannot be read. */
  readonly reason: string;
  readonly count: number;
}
