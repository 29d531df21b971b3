import type { Gate } from "./gate.ts";
import type {
  GpioInput,
  MqttInput,
  ObjectiveType,
  Profile,
  SimulatedInput,
  Zone as ZoneOptions,
} from "../generated/types.ts";
import type { ZoneStatusSources } from "./zone-status-sources.ts";

/** A zone with every option filled in, as the daemon works with it. */
export interface Zone {
  readonly id: string;
  readonly name: string;
  readonly kind: ZoneKind;
  readonly objective: ZoneObjective;
  readonly input: ZoneInput;
  readonly rules: ZoneRules;
  /** What messages say about it besides its contact. */
  readonly statusSources: ZoneStatusSources;
  /** What its trips ask of the dispatch centre. */
  readonly profile: ZoneProfile;
  /** Name of the objective, where the configuration knows it. */
  readonly objectiveName?: string;
  /** When its trips are wanted. */
  readonly gate: Gate;
  /** How long after the machine's power-up no opening of its wire counts. */
  readonly bootSettleMs: number;
  /** After how many incidents it is shut down, and how long it must be quiet to come back; null: never. */
  readonly swinger: { readonly maxTrips: number; readonly quietResetMs: number } | null;
  /** How long no message may come before the sensor counts as lost; null: as long as it likes. */
  readonly silenceMs: number | null;
  /** How long a sensor may be unavailable before that is a fault. */
  readonly lostGraceMs: number;
  /** How long its trips wait for its gate to close; 0 where they do not. */
  readonly entryDelayMs: number;
  /** What follows when it stands open as what held its trips back ends. */
  readonly whenArmedOpen: "record" | "trip" | "condition";
  /** Two zones of one device do not confirm each other. */
  readonly device: string;
  /** Which zones confirm it; null for every other device. */
  readonly confirmWith: ConfirmWith | null;
}

/** The second signal that a zone asks for: one of these zones, within this time of its own trip. */
export interface ConfirmWith {
  readonly zones: readonly string[];
  readonly withinMs: number;
}

/** A profile with everything it asks for filled in; what a second zone adds and own texts are optional. */
export type ZoneProfile = Required<Omit<Profile, "confirmed" | "name" | "description">> &
  Pick<Profile, "confirmed" | "name" | "description">;

export type ZoneKind = ZoneOptions["kind"];
export type ZoneObjective = { readonly type: ObjectiveType; readonly id: number };

export type ZoneInput =
  | ({ readonly source: "gpio" } & Required<GpioInput>)
  | ({ readonly source: "mqtt" } & MqttInput)
  | ({ readonly source: "simulated" } & SimulatedInput);

/** What a contact is known to be. `unknown` never trips and never restores. */
export type Contact = "normal" | "open" | "unknown";
export type KnownContact = Exclude<Contact, "unknown">;

/** The numbers that decide when a reading counts. */
export interface ZoneRules {
  /** How long a level must stay before it counts. */
  readonly debounceMs: number;
  /** How long the contact must stay open before it is a trip. */
  readonly minOpenMs: number;
  /** How long it must still be open before it is a trip. */
  readonly confirmMs: number;
  /** Closes the zone by itself so long after its last opening. */
  readonly autoRestoreMs?: number;
  /** Whether a zone that is already open at first sight trips: a fire does not wait for a first normal reading. */
  readonly tripsAtFirstSight: boolean;
}
