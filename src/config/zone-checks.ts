import { resolveGate } from "../domain/gate.ts";
import { CLASS_OF_KIND, isLifeSafety } from "../domain/incident.ts";
import { PROFILE_OF_KIND, resolveProfiles } from "../domain/zone-rules.ts";
import type { Configuration, Zone, ZoneObjective } from "../generated/types.ts";
import type { Report } from "./problems.ts";

/** Milliseconds; EN 50131-1, 8.3.1: longer signals must be processed. */
const MIN_OPEN_MS_MAX = 400;

/** Errors in the zones, except in their topics and messages. */
export function reportZones({ profiles, zones = [] }: Configuration, report: Report): void {
  const knownProfiles = [...resolveProfiles(profiles ?? {}).keys()];
  reportDuplicates(
    zones.map(({ id }) => id),
    (id, index) => report(["zones", index, "id"], `duplicate zone ${id}. Give each zone its own id`),
  );
  for (const [index, { profile, gate, minOpenMs = 0, allowSlow }] of zones.entries()) {
    if (profile !== undefined && !knownProfiles.includes(profile))
      report(["zones", index, "profile"], `unknown profile ${profile}. Known: ${knownProfiles.join(", ")}`);
    if (resolveGate(gate) === undefined)
      report(
        ["zones", index, "gate", "schedule"],
        'invalid schedule. Use a form such as "sun-fri 18:00-07:00, sat-sun"; days are mon to sun, times are 24-hour',
      );
    if (minOpenMs > MIN_OPEN_MS_MAX && allowSlow !== true)
      report(
        ["zones", index, "minOpenMs"],
        `EN 50131 requires signals of ${MIN_OPEN_MS_MAX} ms to be processed. Use at most that, or allowSlow: true to allow a slower zone`,
      );
  }
  reportConfirmations(zones, report);
}

/** Calls `found` for each value that occurs earlier in the list. */
export function reportDuplicates<T>(
  values: readonly (T | undefined)[],
  found: (value: T, index: number) => void,
): void {
  for (const [index, value] of values.entries())
    if (value !== undefined && values.indexOf(value) < index) found(value, index);
}

/** Errors in `confirmWith`: unknown zones, and zones that can never confirm this one. */
function reportConfirmations(zones: readonly Zone[], report: Report): void {
  const byId = new Map(zones.map((zone) => [zone.id, zone]));
  for (const [index, zone] of zones.entries())
    for (const [place, id] of (zone.confirmWith?.zones ?? []).entries()) {
      const other = byId.get(id);
      const problem = other
        ? confirmationProblem(zone, other)
        : `unknown zone ${id}. Known: ${[...byId.keys()].join(", ")}`;
      if (problem !== undefined) report(["zones", index, "confirmWith", "zones", place], problem);
    }
}

function confirmationProblem(zone: Zone, other: Zone): string | undefined {
  const { id, kind } = other;
  if (id === zone.id) return "a zone cannot confirm itself. Use another zone";
  const [objective, itsObjective] = [zone, other].map((one) => `${one.objective.type} ${one.objective.id}`);
  if (objective !== itsObjective)
    return `zone ${id} is at another objective (${itsObjective}), so it never confirms this one. Use a zone at ${objective}`;
  if (CLASS_OF_KIND[zone.kind] !== CLASS_OF_KIND[kind])
    return `zone ${id} is of another class (${kind}), so it never confirms this one. Use a zone of the class ${CLASS_OF_KIND[zone.kind]}`;
  if (deviceOf(zone) === deviceOf(other))
    return `zone ${id} is of the same device (${deviceOf(zone)}), so it never confirms this one. Use another zone, or set device for each`;
  return undefined;
}

/** Same rule as in `domain/zone-rules`. */
function deviceOf({ id, device, input }: Zone): string {
  return device ?? ("mqtt" in input ? `mqtt ${input.mqtt}` : `zone ${id}`);
}

/**
 * Valid options of zones that are probably unintended or have no effect.
 * @param knows whether the site has the name of an objective that is not in the configuration
 */
export function zoneWarnings(
  { profiles, objectives, zones = [] }: Configuration,
  knows: (objective: ZoneObjective) => boolean,
): string[] {
  const known = resolveProfiles(profiles ?? {});
  const ofZones = zones.flatMap((zone) => {
    const { id, kind, profile } = zone;
    if (zone.disabled === true) return [`zone ${id}: is disabled; it is not monitored`];
    const { police } = known.get(profile ?? PROFILE_OF_KIND[kind]) ?? {};
    const warnings = ineffectiveOptions(zone);
    if (kind === "motion" && police === true)
      warnings.unshift("a single motion detector requests the police without confirmation by a second zone");
    return warnings.map((text) => `zone ${id}: ${text}`);
  });
  const isImported = (objective: ZoneObjective): boolean =>
    objectives?.[objective.type]?.some(({ id }) => id === objective.id) === true || knows(objective);
  return [...objectiveWarnings(zones, isImported), ...ofZones];
}

/** One for each objective, not for each of its zones: a site has one objective and many zones. */
function objectiveWarnings(
  zones: readonly Zone[],
  isImported: (objective: ZoneObjective) => boolean,
): string[] {
  const zonesOf = new Map<string, string[]>();
  for (const { id, objective, disabled } of zones) {
    if (disabled === true || isImported(objective)) continue;
    const name = `objective ${objective.id} of ${objective.type}`;
    zonesOf.set(name, [...(zonesOf.get(name) ?? []), id]);
  }
  return [...zonesOf].map(([objective, [zone, ...others]]) => {
    const text = `${objective} is not in objectives; import it, otherwise a placeholder name is used`;
    return others.length === 0 ? `zone ${zone}: ${text}` : `several zones: ${text}`;
  });
}

function ineffectiveOptions({
  kind,
  gate = "always",
  entryDelayS = 0,
  whenArmedOpen = "trip",
}: Zone): string[] {
  const warnings: string[] = [];
  if (!isLifeSafety(kind)) {
    if (entryDelayS > 0 && gate === "always")
      warnings.push("entryDelayS without a gate delays every trip and cancels none");
    return warnings;
  }
  if (gate !== "always") warnings.push(`its gate is ignored; ${kind} is always dispatched`);
  if (entryDelayS > 0) warnings.push(`entryDelayS is ignored; ${kind} is dispatched immediately`);
  if (whenArmedOpen !== "trip") warnings.push(`whenArmedOpen is ignored; an open ${kind} zone always trips`);
  return warnings;
}
