import type { Battery, MessageCondition, Tamper, Zone as ZoneOptions } from "../generated/types.ts";
import { AVAILABILITY_DEFAULTS } from "../generated/defaults.ts";
import type { Scalar } from "./plain-value.ts";

/** Where somebody's word on whether a sensor can be heard comes from, and its values. */
export interface AvailabilitySource {
  readonly mqtt: string;
  readonly path?: string;
  readonly where?: readonly MessageCondition[];
  readonly up: readonly Scalar[];
  readonly down: readonly Scalar[];
}

/** What messages say about a zone besides its contact, each with the topic that it comes on. */
export interface ZoneStatusSources {
  readonly tamper?: Tamper & { readonly mqtt: string };
  readonly battery?: Battery & { readonly mqtt: string };
  /** The word of the sensor itself, or of its bridge about it. */
  readonly availability?: AvailabilitySource;
  /** The word about the bridge that the sensor is behind, the same for all of its sensors. */
  readonly bridge?: AvailabilitySource;
}

/** Fills in a zone's statusSources. */
export function sensesOf({ input, tamper, battery, availability, bridge }: ZoneOptions): ZoneStatusSources {
  return {
    ...(tamper && { tamper: { ...tamper, ...placeOf(input, tamper) } }),
    ...(battery && { battery: { ...battery, ...placeOf(input, battery) } }),
    ...(availability && { availability: { ...AVAILABILITY_DEFAULTS, ...availability } }),
    ...(bridge && { bridge: { ...AVAILABILITY_DEFAULTS, ...bridge } }),
  };
}

/**
 * The messages that tamper and battery are in: without a topic of their own those of the contact, and only those that
 * are about this zone.
 */
export function placeOf(
  input: ZoneOptions["input"],
  { mqtt, where = [] }: Pick<Tamper, "mqtt" | "where">,
): { mqtt: string; where?: MessageCondition[] } {
  if (mqtt !== undefined) return { mqtt };
  if (!("mqtt" in input)) return { mqtt: "" };
  const all = [...(input.where ?? []), ...where];
  return { mqtt: input.mqtt, ...(all.length === 0 ? {} : { where: all }) };
}

/** What a bridge is called in faults and records: its topic, and what tells it apart from others on that topic. */
export function bridgeNameOf({ mqtt, path, where }: AvailabilitySource): string {
  const place = path === undefined || path === "/state" ? "" : ` ${path}`;
  return `${mqtt}${place}${where === undefined ? "" : ` (${where.map(conditionText).join(", ")})`}`;
}

function conditionText({ path, in: wanted, not, exists }: MessageCondition): string {
  const parts = [
    ...(wanted === undefined ? [] : [`= ${wanted.join(" | ")}`]),
    ...(not === undefined ? [] : [`≠ ${not.join(" | ")}`]),
    ...(exists === undefined ? [] : [exists ? "+" : "-"]),
  ];
  return `${path} ${parts.join(" ")}`;
}
