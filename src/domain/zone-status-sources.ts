import type { Battery, MessageCondition, Tamper, Zone as ZoneOptions } from "../generated/types.ts";
import { AVAILABILITY_DEFAULTS } from "../generated/defaults.ts";
import type { Scalar } from "./plain-value.ts";

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

/** Resolves a zone's status sources. */
export function resolveStatusSources({
  input,
  tamper,
  battery,
  availability,
  bridge,
}: ZoneOptions): ZoneStatusSources {
  return {
    ...(tamper && { tamper: { ...tamper, ...placeOf(input, tamper) } }),
    ...(battery && { battery: { ...battery, ...placeOf(input, battery) } }),
    ...(availability && { availability: { ...AVAILABILITY_DEFAULTS, ...availability } }),
    ...(bridge && { bridge: { ...AVAILABILITY_DEFAULTS, ...bridge } }),
  };
}

/**
 * Topic and conditions of tamper and battery: by default those of the contact, so that only messages about this zone
 * count.
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

/** Name of a bridge in faults and records: its topic, and the conditions that distinguish it on that topic. */
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
