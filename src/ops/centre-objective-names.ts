import { ApiClient } from "../client/api-client.ts";
import { parseJson } from "../client/json-answer.ts";
import { TokenCache } from "../client/token-cache.ts";
import { refText, type ObjectiveRef } from "../domain/objective.ts";
import type { NamedObjective } from "../domain/objective-names.ts";
import { SystemClock } from "./system-clock.ts";

const TIMEOUT_MS = 10_000;
/** More than the zones of a site have; each is a request. */
const OBJECTIVES_MAX = 50;

interface CentreAccount {
  readonly centre: string;
  readonly ca: string | undefined;
  readonly email: string;
  readonly password: string;
}

/** A zone with the name that the configuration gives its objective. */
interface NamingZone {
  readonly objective: ObjectiveRef;
  readonly objectiveName?: string;
}

/**
 * The names of the objectives of zones here and at the centre, for a person to compare. Ends at the first request without a
 * response: the names are a help, and no condition of an enrolment.
 */
export async function objectiveNames(
  { centre, ca, email, password }: CentreAccount,
  zones: readonly NamingZone[],
): Promise<readonly NamedObjective[]> {
  if (zones.length === 0) return [];
  const client = new ApiClient({ baseUrl: centre, timeoutMs: TIMEOUT_MS, ca });
  const names: NamedObjective[] = [];
  try {
    const tokens = new TokenCache({ client, email, password, clock: new SystemClock() });
    const access = await tokens.token();
    if (!access.ok) return [];
    for (const { objective, objectiveName } of usedObjectives(zones)) {
      const path = `/${refText(objective)}`;
      const reply = await client.request({ method: "GET", path, token: access.token });
      if (reply.kind !== "answered") break;
      const there = reply.status === 200 ? nameIn(reply.body) : undefined;
      if (there !== undefined) names.push({ ...objective, here: objectiveName ?? null, there });
    }
  } finally {
    client.close();
  }
  return names;
}

/** The name in the response to a request for an objective; undefined if it has none. */
export function nameIn(body: string): string | undefined {
  const { name } = (parseJson(body) ?? {}) as { readonly name?: unknown };
  return typeof name === "string" && name.trim() !== "" ? name : undefined;
}

/** Each objective once. */
function usedObjectives(zones: readonly NamingZone[]): readonly NamingZone[] {
  const byText = new Map(
    zones.map(({ objective: { type, id }, ...zone }) => [
      refText({ type, id }),
      { ...zone, objective: { type, id } },
    ]),
  );
  return [...byText.values()].slice(0, OBJECTIVES_MAX);
}
