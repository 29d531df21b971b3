import { alarmPanelName } from "./alarm-panel-name.ts";
import { hasSeveralNumbers } from "./alarm-panel.ts";
import {
  CONFIRM_WITH_DEFAULTS,
  GPIO_INPUT_DEFAULTS,
  SWINGER_DEFAULTS,
  ZONE_DEFAULTS,
  AVAILABILITY_DEFAULTS,
} from "../generated/defaults.ts";
import type { Profile, Zone as ZoneOptions, MessageCondition, Tamper } from "../generated/types.ts";
import { resolveGate } from "./gate.ts";
import { loopInputOf } from "./loop.ts";
import { isLifeSafety } from "./incident.ts";
import type {
  AvailabilitySource,
  ZoneStatusSources,
  Zone,
  ZoneInput,
  ZoneKind,
  ZoneProfile,
  ZoneRules,
} from "./zone.ts";

/**
 * Resolves a zone's options: input defaults, rules by input and zone type, and its profile.
 * @param profiles shipped and own profiles by name
 * @param objectiveName name of the zone's objective, if the configuration has it
 * @returns undefined if the zone uses an unknown profile or an invalid schedule
 */
export function resolveZone(
  options: ZoneOptions,
  profiles: ReadonlyMap<string, ZoneProfile>,
  objectiveName?: string,
): Zone | undefined {
  const profile = profiles.get(options.profile ?? PROFILE_OF_KIND[options.kind]);
  const gate = resolveGate(options.gate);
  if (!profile || !gate) return undefined;
  const input = resolveInput(options);
  const { id, name, kind, objective } = options;
  const isLifeSafetyZone = isLifeSafety(kind);
  return {
    id,
    name,
    kind,
    objective,
    input,
    rules: rulesOf(options, input),
    statusSources: resolveStatusSources(options),
    profile,
    ...(objectiveName === undefined ? {} : { objectiveName }),
    gate,
    // CP-01: a minute for detectors to become stable after a power-up; life safety zones only wait for relays.
    powerUpDelayMs: (options.powerUpDelayS ?? (STABLE_FAST.has(kind) ? 5 : 60)) * 1000,
    swinger: isLifeSafetyZone ? null : swingerOf(options, input),
    supervisionTimeoutMs: supervisionTimeoutMsOf(options),
    // `silenceS` of an alarm panel is its grace period.
    unavailableGraceMs:
      (options.unavailableGraceS ?? (input.source === "dc09" ? 0 : ZONE_DEFAULTS.unavailableGraceS)) * 1000,
    entryDelayMs: isLifeSafetyZone ? 0 : (options.entryDelayS ?? ZONE_DEFAULTS.entryDelayS) * 1000,
    whenArmedOpen: isLifeSafetyZone ? "trip" : (options.whenArmedOpen ?? ZONE_DEFAULTS.whenArmedOpen),
    device: options.device ?? (input.source === "mqtt" ? `mqtt ${input.mqtt}` : `zone ${id}`),
    confirmWith: options.confirmWith
      ? {
          zones: options.confirmWith.zones,
          withinMs: (options.confirmWith.withinS ?? CONFIRM_WITH_DEFAULTS.withinS) * 1000,
        }
      : null,
  };
}

/**
 * CP-01's shutdown is of one detector: that of a zone with several must not suppress the alarm of another one. A supply or a
 * device that fails again and again is one, whatever its numbers.
 */
function swingerOf({ swinger, kind }: ZoneOptions, input: ZoneInput): Zone["swinger"] {
  const hasSeveralDetectors = hasSeveralNumbers(input) && kind !== "technical" && kind !== "power";
  if (swinger === false || (swinger === undefined && hasSeveralDetectors)) return null;
  const { maxTrips, resetAfterQuietS } = { ...SWINGER_DEFAULTS, ...swinger };
  return { maxTrips, resetAfterQuietMs: resetAfterQuietS * 1000 };
}

/** Battery sensors report at least every 25 hours (zigbee2mqtt's limit for passive devices); plus one hour. */
const BATTERY_SUPERVISION_S = 93_600;

/** Supervision applies only if a time is configured or the sensor has a battery. */
function supervisionTimeoutMsOf({ supervisionTimeoutS, battery }: ZoneOptions): number | null {
  const limitS = supervisionTimeoutS ?? (battery ? BATTERY_SUPERVISION_S : undefined);
  return limitS === undefined ? null : limitS * 1000;
}

/** The shipped profiles. A configuration overrides single fields or adds profiles. */
const SHIPPED_PROFILES: Readonly<Record<string, Profile>> = {
  burglary: { priority: "high", confirmed: { police: true, crews: 2 } },
  holdup: { priority: "high", crews: 2, police: true },
  fire: { priority: "high", firetruck: true },
  medical: { priority: "high", ambulance: true },
  gas: { priority: "high", firetruck: true },
  flood: { priority: "medium", type: "repair" },
  tamper: { priority: "high", type: "inspection" },
  technical: { priority: "medium", type: "repair" },
  power: { priority: "medium", type: "repair" },
};

/** Defaults of a profile. Trips have the type `other`, because they are not planned maintenance. */
const PROFILE_BASE: ZoneProfile = {
  priority: "medium",
  type: "other",
  crews: 1,
  police: false,
  ambulance: false,
  firetruck: false,
};

/** Merges a configuration's profiles with the shipped ones, field by field. */
export function resolveProfiles(own: Readonly<Record<string, Profile>>): Map<string, ZoneProfile> {
  const names = new Set([...Object.keys(SHIPPED_PROFILES), ...Object.keys(own)]);
  return new Map(
    [...names].map((name) => [name, { ...PROFILE_BASE, ...SHIPPED_PROFILES[name], ...own[name] }] as const),
  );
}

/** Default profile of each zone type. */
export const PROFILE_OF_KIND: Readonly<Record<ZoneKind, string>> = {
  intrusion: "burglary",
  perimeter: "burglary",
  motion: "burglary",
  glass: "burglary",
  fire: "fire",
  panic: "holdup",
  holdup: "holdup",
  medical: "medical",
  flood: "flood",
  gas: "gas",
  tamper: "tamper",
  technical: "technical",
  power: "power",
};

/** Zone types whose detectors are stable seconds after a power-up; a gas sensor heats up for longer. */
const STABLE_FAST: ReadonlySet<ZoneKind> = new Set(["fire", "panic", "holdup", "medical"]);

function resolveInput(options: ZoneOptions): ZoneInput {
  const { input } = options;
  if ("gpio" in input) return { source: "gpio", ...GPIO_INPUT_DEFAULTS, ...input };
  if ("mqtt" in input) return { source: "mqtt", ...input };
  if ("dc09" in input) return { source: "dc09", ...input, dc09: input.dc09.toUpperCase() };
  if ("supply" in input) return { source: "supply", ...input };
  if ("adc" in input) return { source: "adc", ...loopInputOf(input) };
  return { source: "simulated", ...input };
}

/** Whether a zone has a wire to this machine: its contact bounces, and can be read again at any time. */
export function isWired({ source }: ZoneInput): boolean {
  return source === "gpio" || source === "adc";
}

function rulesOf(options: ZoneOptions, input: ZoneInput): ZoneRules {
  // MQTT sensors debounce their contacts, and a reading must be committed without delay. A panic button may be pressed
  // briefly; other wired loops use 250 ms, which filters interference and still detects the 400 ms that EN 50131 requires.
  const isAtWire = isWired(input);
  const wiredMinOpenMs = options.kind === "panic" ? 20 : 250;
  // An alarm panel filters its own contacts. Each of its alarms is acknowledged, so none may be filtered here.
  const isFiltered = input.source !== "dc09";
  return {
    debounceMs: isFiltered ? (options.debounceMs ?? (isAtWire ? 50 : 0)) : 0,
    minOpenMs: isFiltered ? (options.minOpenMs ?? (isAtWire ? wiredMinOpenMs : 0)) : 0,
    confirmMs: isFiltered ? (options.confirmMs ?? ZONE_DEFAULTS.confirmMs) : 0,
    ...(options.autoRestoreS === undefined ? {} : { autoRestoreMs: options.autoRestoreS * 1000 }),
    tripsAtFirstSight: isLifeSafety(options.kind),
  };
}

/** Resolves a zone's status sources. */
function resolveStatusSources({
  input,
  tamper,
  battery,
  availability,
  bridge,
}: ZoneOptions): ZoneStatusSources {
  return {
    ...(tamper && { tamper: { ...tamper, ...statusSourcePlace(input, tamper) } }),
    ...(battery && { battery: { ...battery, ...statusSourcePlace(input, battery) } }),
    ...(availability && { availability: { ...AVAILABILITY_DEFAULTS, ...availability } }),
    ...(bridge && { bridge: { ...AVAILABILITY_DEFAULTS, ...bridge } }),
  };
}

/**
 * Topic and conditions of tamper and battery: by default those of the contact, so that only messages about this zone
 * count.
 */
export function statusSourcePlace(
  input: ZoneOptions["input"],
  { mqtt, where = [] }: Pick<Tamper, "mqtt" | "where">,
): { mqtt: string; where?: MessageCondition[] } {
  if (mqtt !== undefined) return { mqtt };
  if (!("mqtt" in input)) return { mqtt: "" };
  const all = [...(input.where ?? []), ...where];
  return { mqtt: input.mqtt, ...(all.length === 0 ? {} : { where: all }) };
}

/** Name of the bridge that a zone is behind, such as its alarm panel; undefined if it has none. */
export function bridgeOf({
  input,
  statusSources,
}: Pick<Zone, "input" | "statusSources">): string | undefined {
  if (input.source === "dc09") return alarmPanelName(input.dc09);
  return statusSources.bridge && bridgeNameOf(statusSources.bridge);
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
