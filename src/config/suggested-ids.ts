import { uniqueId } from "../domain/discovery/proposed-zone.ts";
import type { ConfigProblem } from "./problems.ts";

/** Adds to each problem of a missing or wrong id of a zone one that can be used: made of the name of the zone, or of the wrong id. */
export function withSuggestedIds(problems: readonly ConfigProblem[], value: unknown): ConfigProblem[] {
  const zones: unknown = (value as { readonly zones?: unknown } | null)?.zones;
  if (!Array.isArray(zones)) return [...problems];
  const used = new Set(zones.map((zone: { readonly id?: unknown } | null) => String(zone?.id)));
  return problems.map((problem) => withSuggestedId(problem, zones, used));
}

/** @param used the ids of the file and those that were suggested, to which this one is added */
function withSuggestedId(
  problem: ConfigProblem,
  zones: readonly unknown[],
  used: Set<string>,
): ConfigProblem {
  const { path, message } = problem;
  const [section, index, option] = path;
  if (section !== "zones" || typeof index !== "number") return problem;
  const { id, name } = (zones[index] ?? {}) as { readonly id?: unknown; readonly name?: unknown };
  if (path.length === 2 && message === "id is missing" && typeof name === "string")
    return { path, message: `id is missing. Add id: ${uniqueId(name, used)}` };
  if (path.length === 3 && option === "id" && typeof id === "string" && message.includes("expected format"))
    return { path, message: `${message} Use ${uniqueId(id, used)}` };
  return problem;
}
