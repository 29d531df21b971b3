import type { Actor } from "../../domain/event.ts";
import type { Fault } from "../../domain/fault.ts";
import type { LifeSafetyHeld } from "../../domain/life-safety.ts";
import type { Contact, ZoneKind, ZoneObjective } from "../../domain/zone.ts";

/** The zones, as people see them and what they may do with one. */
export interface ZonePort {
  list(): readonly ZoneView[];
  /** What has happened to each zone in the last so many hours. */
  history(hours: number): readonly ZoneHistoryView[];
  /**
   * Takes a zone out of service for a while.
   * @throws AppError `not-found` for an unknown zone, `invalid` for a missing reason or a time out of range
   */
  bypass(zoneId: string, order: BypassRequest, actor: Actor): BypassView;
  /** Puts a zone back into service after a bypass or a shutdown. @throws AppError `not-found` */
  restore(zoneId: string, actor: Actor): ZoneView;
  /**
   * Drives a zone as its contact would.
   * @throws AppError `not-found` for an unknown zone
   */
  simulate(zoneId: string, contact: "open" | "normal"): Promise<SimulationView>;
}

export interface ZoneView {
  readonly id: string;
  readonly name: string;
  readonly kind: ZoneKind;
  /** Whether it is a zone of fire, gas, medical, hold-up or panic. */
  readonly isLifeSafety: boolean;
  readonly source: "gpio" | "mqtt" | "simulated";
  readonly objective: ZoneObjective;
  readonly contact: Contact;
  /** When it settled on this contact, ISO 8601 UTC; null before its first sight. */
  readonly since: string | null;
  /** What becomes of a trip now: `waiting` for dispatch, or why it is held back. */
  readonly disposition: "waiting" | "bypassed" | "test" | "gated" | "swinger";
  readonly reason: string | null;
  /** The bypass, with its end, ISO 8601 UTC; null when there is none. */
  readonly bypass: { readonly reason: string; readonly who: string; readonly until: string } | null;
  /** What is wrong with the zone itself. */
  readonly faults: readonly { readonly fault: Fault; readonly since: string }[];
  /** Trips since the zone was last quiet, and how many of them were only counted because there were too many. */
  readonly trips: { readonly recent: number; readonly notStored: number };
}

/** A zone after a bypass, and whether that keeps a life-safety zone from being dispatched: then it is named. */
export type BypassView = ZoneView & { readonly lifeSafetyHeld: readonly LifeSafetyHeld[] };

/** What has happened to a zone in a time; moments are ISO 8601 UTC. */
export interface ZoneHistoryView {
  readonly id: string;
  /** When it has tripped; the newest 500. */
  readonly trips: readonly string[];
  /** Its openings and closings with what became of each, the oldest first; the newest 500. */
  readonly contacts: readonly ContactView[];
  readonly faults: readonly SpanView[];
  readonly bypasses: readonly SpanView[];
}

/** One opening or closing of a zone. */
export interface ContactView {
  readonly at: string;
  /** `trip`; `standing`, where it was found open as its gate opened; `restore`, where it closed. */
  readonly event: "trip" | "standing" | "restore";
  /** What became of it, such as `posted`, `merged`, `bypassed`, `recorded`. */
  readonly state: string;
  /** Why it was not dispatched or is in no record; null otherwise. */
  readonly reason: string | null;
  /** The intervention that names it; null for none. */
  readonly interventionId: number | null;
}

export interface SpanView {
  readonly from: string;
  /** Now, where it is still so. */
  readonly to: string;
}

/** What a body of /site/zones/<id>/bypass holds, not looked at yet. */
export interface BypassRequest {
  readonly reason?: unknown;
  readonly minutes?: number | undefined;
}

export interface SimulationView {
  readonly zone: string;
  /** What the zone's contact is afterwards, as its own sensor says. */
  readonly contact: Contact;
  /** Whether the zone settled on another contact. */
  readonly changed: boolean;
  /**
   * Why the contact is not what was asked for: `sensor`: the zone has a sensor of its own, which alone opens and closes
   * it; `settling`: its time had not passed yet. Null when it is.
   */
  readonly unchangedBy: "sensor" | "settling" | null;
  /** Keys of the trips that this caused. */
  readonly trips: readonly string[];
  /** Why they are not dispatched, such as `bypassed: painter (ana@example.ro)`; null when they are. */
  readonly suppressed: string | null;
}
