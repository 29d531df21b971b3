import { CLASS_OF_KIND, isLifeSafety } from "../domain/incident.ts";
import type { Zone } from "../generated/types.ts";
import type { ConfigProblem } from "./problems.ts";

/** Errors in `confirmWith`: unknown zones, and zones that can never confirm this one. */
export function incidentProblems(zones: readonly Zone[]): ConfigProblem[] {
  const byId = new Map(zones.map((zone) => [zone.id, zone]));
  return zones.flatMap((zone, index) =>
    (zone.confirmWith?.zones ?? []).flatMap((id, place) => {
      const message = confirmationProblem(zone, id, byId.get(id), [...byId.keys()]);
      return message === undefined
        ? []
        : [{ path: ["zones", index, "confirmWith", "zones", place], message }];
    }),
  );
}

function confirmationProblem(
  zone: Zone,
  id: string,
  other: Zone | undefined,
  known: readonly string[],
): string | undefined {
  if (!other) return `unknown zone ${id}. Known: ${known.join(", ")}`;
  if (id === zone.id) return "a zone cannot confirm itself. Use another zone";
  const [objective, itsObjective] = [zone, other].map(
    ({ objective: { type, id: number } }) => `${type} ${number}`,
  );
  if (objective !== itsObjective)
    return `zone ${id} is at another objective (${itsObjective}), so it never confirms this one. Use a zone at ${objective}`;
  if (CLASS_OF_KIND[zone.kind] !== CLASS_OF_KIND[other.kind])
    return `zone ${id} is of another class (${other.kind}), so it never confirms this one. Use a zone of the class ${CLASS_OF_KIND[zone.kind]}`;
  if (deviceOf(zone) === deviceOf(other))
    return `zone ${id} is of the same device (${deviceOf(zone)}), so it never confirms this one. Use another zone, or set device for each`;
  return undefined;
}

/** Same rule as in `domain/zone-rules`. */
function deviceOf({ id, device, input }: Zone): string {
  return device ?? ("mqtt" in input ? `mqtt ${input.mqtt}` : `zone ${id}`);
}

/** Valid options without effect. */
export function incidentWarnings(zones: readonly Zone[]): string[] {
  return zones.flatMap(({ id, kind, gate = "always", entryDelayS = 0, whenArmedOpen }) => {
    if (!isLifeSafety(kind))
      return entryDelayS > 0 && gate === "always"
        ? [`zone ${id}: entryDelayS without a gate delays every trip and cancels none`]
        : [];
    return [
      ...(gate === "always" ? [] : [`zone ${id}: its gate is ignored; ${kind} is always dispatched`]),
      ...(entryDelayS === 0 ? [] : [`zone ${id}: entryDelayS is ignored; ${kind} is dispatched immediately`]),
      ...(whenArmedOpen === undefined || whenArmedOpen === "trip"
        ? []
        : [`zone ${id}: whenArmedOpen is ignored; an open ${kind} zone always trips`]),
    ];
  });
}
