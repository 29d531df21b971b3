import type { Profile, Zone as ZoneOptions } from "../generated/types.ts";
import {
  CONFIRM_WITH_DEFAULTS,
  GPIO_INPUT_DEFAULTS,
  SWINGER_DEFAULTS,
  ZONE_DEFAULTS,
} from "../generated/defaults.ts";
import { resolveGate } from "./gate.ts";
import { isLifeSafety } from "./incident-class.ts";
import { sensesOf } from "./zone-status-sources.ts";
import type { Zone, ZoneInput, ZoneKind, ZoneProfile, ZoneRules } from "./zone.ts";

/**
 * Fills in a zone's options: input defaults, rules by input and kind, and its profile.
 * @param profiles shipped and own profiles by name
 * @param objectiveName name of the zone's objective, where the configuration knows it
 * @returns undefined when the zone names a profile that does not exist, or its schedule cannot be read
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
  const { id, name, kind, objective, swinger } = options;
  const savesLives = isLifeSafety(kind);
  const { maxTrips, quietResetS } = { ...SWINGER_DEFAULTS, ...(swinger === false ? {} : swinger) };
  return {
    id,
    name,
    kind,
    objective,
    input,
    rules: rulesOf(options, input),
    statusSources: sensesOf(options),
    profile,
    ...(objectiveName === undefined ? {} : { objectiveName }),
    gate,
    // CP-01: a minute for detectors to come to rest after a power-up; what saves lives waits no longer than a relay takes.
    bootSettleMs: (options.bootSettleS ?? (SETTLES_FAST.has(kind) ? 5 : 60)) * 1000,
    swinger: savesLives || swinger === false ? null : { maxTrips, quietResetMs: quietResetS * 1000 },
    silenceMs: silenceMsOf(options),
    lostGraceMs: (options.lostGraceS ?? ZONE_DEFAULTS.lostGraceS) * 1000,
    entryDelayMs: savesLives ? 0 : (options.entryDelayS ?? ZONE_DEFAULTS.entryDelayS) * 1000,
    whenArmedOpen: savesLives ? "trip" : (options.whenArmedOpen ?? ZONE_DEFAULTS.whenArmedOpen),
    device: options.device ?? (input.source === "mqtt" ? `mqtt ${input.mqtt}` : `zone ${id}`),
    confirmWith: options.confirmWith
      ? {
          zones: options.confirmWith.zones,
          withinMs: (options.confirmWith.withinS ?? CONFIRM_WITH_DEFAULTS.withinS) * 1000,
        }
      : null,
  };
}

/** Sensors on batteries report at least once in 25 hours (zigbee2mqtt's limit for passive devices); an hour more. */
const BATTERY_SILENCE_S = 93_600;

/** Silence is a fault only where somebody has said how often a sensor speaks, or that it has a battery. */
function silenceMsOf({ silenceS, battery }: ZoneOptions): number | null {
  const limitS = silenceS ?? (battery ? BATTERY_SILENCE_S : undefined);
  return limitS === undefined ? null : limitS * 1000;
}

/** The shipped profiles. A configuration changes single fields of them or adds its own. */
const SHIPPED_PROFILES: Readonly<Record<string, Profile>> = {
  burglary: { priority: "high", confirmed: { police: true, crews: 2 } },
  holdup: { priority: "high", crews: 2, police: true },
  fire: { priority: "high", firetruck: true },
  medical: { priority: "high", ambulance: true },
  gas: { priority: "high", firetruck: true },
  flood: { priority: "medium", type: "repair" },
  tamper: { priority: "high", type: "inspection" },
  technical: { priority: "medium", type: "repair" },
};

/** What a profile asks for where it says nothing. Trips are `other`: nobody planned them as maintenance. */
const PROFILE_BASE: ZoneProfile = {
  priority: "medium",
  type: "other",
  crews: 1,
  police: false,
  ambulance: false,
  firetruck: false,
};

/** Lays a configuration's profiles over the shipped ones, field by field. */
export function resolveProfiles(own: Readonly<Record<string, Profile>>): Map<string, ZoneProfile> {
  const names = new Set([...Object.keys(SHIPPED_PROFILES), ...Object.keys(own)]);
  return new Map(
    [...names].map((name) => [name, { ...PROFILE_BASE, ...SHIPPED_PROFILES[name], ...own[name] }] as const),
  );
}

/** The profile that fits a kind when the zone names none. */
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
};

/** Kinds whose detectors are steady seconds after a power-up; a gas sensor heats up for longer. */
const SETTLES_FAST: ReadonlySet<ZoneKind> = new Set(["fire", "panic", "holdup", "medical"]);

function resolveInput(options: ZoneOptions): ZoneInput {
  const { input } = options;
  if ("gpio" in input) return { source: "gpio", ...GPIO_INPUT_DEFAULTS, ...input };
  if ("mqtt" in input) return { source: "mqtt", ...input };
  return { source: "simulated", ...input };
}

function rulesOf(options: ZoneOptions, input: ZoneInput): ZoneRules {
  // Sensors on MQTT debounce themselves, and the reading must reach the commit without waiting. A panic button may be
  // hit shortly; every other GPIO loop gets the 250 ms that keeps interference out and still passes the 400 ms that
  // EN 50131 demands to be processed.
  const onWire = input.source === "gpio";
  const minOpenOnWire = options.kind === "panic" ? 20 : 250;
  return {
    debounceMs: options.debounceMs ?? (onWire ? 50 : 0),
    minOpenMs: options.minOpenMs ?? (onWire ? minOpenOnWire : 0),
    confirmMs: options.confirmMs ?? ZONE_DEFAULTS.confirmMs,
    ...(options.autoRestoreS === undefined ? {} : { autoRestoreMs: options.autoRestoreS * 1000 }),
    tripsAtFirstSight: isLifeSafety(options.kind),
  };
}
