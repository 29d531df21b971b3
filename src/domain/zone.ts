import type {
  GpioInput,
  MqttInput,
  ObjectiveType,
  Profile,
  SimulatedInput,
  Zone as ZoneOptions,
} from "../generated/types.ts";
import type { ZoneSenses } from "./zone-senses.ts";

/** A zone with every option filled in, as the daemon works with it. */
export interface Zone {
  readonly id: string;
  readonly name: string;
  readonly kind: ZoneKind;
  readonly objective: ZoneObjective;
  readonly input: ZoneInput;
  readonly rules: ZoneRules;
  /** What messages say about it besides its contact. */
  readonly senses: ZoneSenses;
  /** What its trips ask of the dispatch centre. */
  readonly profile: Required<Profile>;
}

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
