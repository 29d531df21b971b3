import type {
  Battery,
  Dc09Input,
  MessageCondition,
  Tamper,
  MqttInput,
  ObjectiveType,
  Profile,
  SimulatedInput,
  SupplyInput,
  Zone as ZoneOptions,
} from "../generated/types.ts";
import type { Gate } from "./gate.ts";
import type { LineInput } from "./gpio-chip.ts";
import type { LoopInput } from "./loop.ts";
import type { Scalar } from "./plain-value.ts";

/** A zone with all options resolved. */
export interface Zone {
  readonly id: string;
  readonly name: string;
  readonly kind: ZoneKind;
  readonly objective: ZoneObjective;
  readonly input: ZoneInput;
  readonly rules: ZoneRules;
  /** Sources of its status besides the contact. */
  readonly statusSources: ZoneStatusSources;
  /** What its trips request from the dispatch centre. */
  readonly profile: ZoneProfile;
  /** Name of the objective, if the configuration has it. */
  readonly objectiveName?: string;
  /** When its trips are dispatched. */
  readonly gate: Gate;
  /** Time after power-up in which no opening of its GPIO line counts. */
  readonly powerUpDelayMs: number;
  /** Incidents until swinger shutdown, and quiet time until it ends; null: never shut down. */
  readonly swinger: { readonly maxTrips: number; readonly resetAfterQuietMs: number } | null;
  /** Time without messages after which the sensor has a supervision failure; null: no supervision. */
  readonly supervisionTimeoutMs: number | null;
  /** Grace period of an unavailable sensor before that is a fault. */
  readonly unavailableGraceMs: number;
  /** How long its trips wait for its gate to close; 0 for none. */
  readonly entryDelayMs: number;
  /** What follows if it is open when a suppression ends. */
  readonly whenArmedOpen: "record" | "trip" | "condition";
  /** Two zones of one device do not confirm each other. */
  readonly device: string;
  /** Zones that confirm it; null for any other device. */
  readonly confirmWith: ConfirmWith | null;
}

/** The second signal that a zone requires: one of these zones, within this time of its own trip. */
export interface ConfirmWith {
  readonly zones: readonly string[];
  readonly withinMs: number;
}

/** A profile with defaults; what a confirmation adds and own texts are optional. */
export type ZoneProfile = Required<Omit<Profile, "confirmed" | "name" | "description">> &
  Pick<Profile, "confirmed" | "name" | "description">;

export type ZoneKind = ZoneOptions["kind"];

/** The zone types, in the order in which they are offered. */
export const ZONE_KINDS = [
  "intrusion",
  "perimeter",
  "motion",
  "glass",
  "fire",
  "panic",
  "holdup",
  "medical",
  "flood",
  "gas",
  "tamper",
  "technical",
  "power",
] as const satisfies readonly ZoneKind[];
export type ZoneObjective = { readonly type: ObjectiveType; readonly id: number };

export type ZoneInput =
  | ({ readonly source: "gpio" } & LineInput)
  | ({ readonly source: "mqtt" } & MqttInput)
  | ({ readonly source: "simulated" } & SimulatedInput)
  | ({ readonly source: "supply" } & SupplyInput)
  | ({ readonly source: "dc09" } & Dc09Input)
  | ({ readonly source: "adc" } & LoopInput);

/** State of a contact. `unknown` never trips and never restores. */
export type Contact = "normal" | "open" | "unknown";
export type KnownContact = Exclude<Contact, "unknown">;

/** Times that decide when a reading counts. */
export interface ZoneRules {
  /** How long a level must be stable before it counts. */
  readonly debounceMs: number;
  /** How long the contact must stay open before it trips (minimum open time). */
  readonly minOpenMs: number;
  /** How long it must still be open before it trips (confirmation time). */
  readonly confirmMs: number;
  /** Time after the last opening after which the zone is restored automatically. */
  readonly autoRestoreMs?: number;
  /** Whether a zone that is open at its first reading trips: a fire alarm must not wait for a normal reading. */
  readonly tripsAtFirstSight: boolean;
}

/** Interpreted signal of a source about a zone. */
export type ZoneSignal =
  /**
   * `live`: a new reading, not a retained message. `occasion`: for an opening, the value that identifies its event, if the
   * zone has an option for it. `value`: one that the zone names neither as open nor as normal.
   */
  | {
      readonly kind: "contact";
      readonly contact: Contact;
      readonly live: boolean;
      readonly occasion?: string;
      readonly value?: Scalar;
    }
  | { readonly kind: "tamper"; readonly open: boolean }
  /** `percent`: its charge, if the sensor reports that. */
  | { readonly kind: "battery"; readonly low: boolean; readonly percent?: number }
  /**
   * Availability of the sensor, as reported by itself or its bridge. `bridge` is the name of an unavailable bridge: it
   * concerns all zones behind it, and is one fault.
   */
  | { readonly kind: "availability"; readonly up: boolean; readonly bridge?: string }
  /** Whether its bridge lists the sensor under the name in the zone's topic. */
  | { readonly kind: "listing"; readonly isListed: boolean }
  /** A message without other information, which shows that the sensor works. */
  | { readonly kind: "sign-of-life" };

/** A reading as it came, before it was debounced. */
export interface LastReading {
  readonly contact: Contact;
  /** Monotonic. */
  readonly atMs: number;
}

/** Context of a reading. */
export interface ReadingContext {
  /** False for a value that may be old, such as a retained message. */
  readonly live: boolean;
  /** Monotonic time of the reading, if known more exactly than by its arrival. */
  readonly atMs?: number | undefined;
  /** For a late report: milliseconds since the contact has changed. */
  readonly lateMs?: number | undefined;
  /** A new alarm, not a level: a zone that is open trips again. */
  readonly isNewAlarm?: boolean | undefined;
  /** Caused by a user now, not by a sensor: the contact has not changed while the daemon was stopped. */
  readonly isTest?: boolean | undefined;
}

/** Source of the availability of a sensor or bridge, and its values. */
export interface AvailabilitySource {
  readonly mqtt: string;
  readonly path?: string;
  readonly where?: readonly MessageCondition[];
  readonly up: readonly Scalar[];
  readonly down: readonly Scalar[];
}

/** Sources of a zone's status besides its contact, each with its topic. */
export interface ZoneStatusSources {
  readonly tamper?: Tamper & { readonly mqtt: string };
  readonly battery?: Battery & { readonly mqtt: string };
  /** Availability of the sensor, reported by itself or its bridge. */
  readonly availability?: AvailabilitySource;
  /** Availability of the sensor's bridge, the same for all of its sensors. */
  readonly bridge?: AvailabilitySource;
}
