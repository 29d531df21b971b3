import type { Battery, Tamper, Zone as ZoneOptions } from "../generated/types.ts";
import { AVAILABILITY_DEFAULTS } from "../generated/defaults.ts";

type Scalar = string | number | boolean;

/** Where somebody's word on whether a sensor can be heard comes from, and its values. */
export interface AvailabilitySense {
  readonly mqtt: string;
  readonly path?: string;
  readonly up: readonly Scalar[];
  readonly down: readonly Scalar[];
}

/** What messages say about a zone besides its contact, each with the topic that it comes on. */
export interface ZoneSenses {
  readonly tamper?: Tamper & { readonly mqtt: string };
  readonly battery?: Battery & { readonly mqtt: string };
  /** The word of the sensor itself, or of its bridge about it. */
  readonly availability?: AvailabilitySense;
  /** The word about the bridge that the sensor is behind, the same for all of its sensors. */
  readonly bridge?: AvailabilitySense;
}

/** Fills in a zone's senses: without a topic of their own, tamper and battery stand in the messages of the contact. */
export function sensesOf({ input, tamper, battery, availability, bridge }: ZoneOptions): ZoneSenses {
  const ownTopic = "mqtt" in input ? input.mqtt : "";
  return {
    ...(tamper && { tamper: { mqtt: ownTopic, ...tamper } }),
    ...(battery && { battery: { mqtt: ownTopic, ...battery } }),
    ...(availability && { availability: { ...AVAILABILITY_DEFAULTS, ...availability } }),
    ...(bridge && { bridge: { ...AVAILABILITY_DEFAULTS, ...bridge } }),
  };
}
