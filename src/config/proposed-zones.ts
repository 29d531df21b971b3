import { doubtText } from "../domain/discovery/doubt.ts";
import type { ProposedZone } from "../domain/discovery/proposed-zone.ts";
import type { ObjectiveRef } from "../domain/objective.ts";

/**
 * Zones for found sensors as entries of the list `zones`, with what to check as comments. Values are JSON, which is valid YAML,
 * so that any device name stays one value.
 * @param objective of all of them; `isGuess` marks it as a question to the reader
 */
export function proposedZoneLines(
  zones: readonly ProposedZone[],
  { type, id: number }: ObjectiveRef,
  isGuess = false,
): string[] {
  return zones.flatMap(({ id, name, kind, doubts, ...more }) => [
    ...doubts.map((doubt) => `  # ${doubtText(doubt).replaceAll(/\p{Cc}/gu, " ")}`),
    `  - id: ${plainOrQuoted(id)}`,
    `    name: ${JSON.stringify(name)}`,
    `    kind: ${kind}`,
    `    objective: { type: ${type}, id: ${number} }${isGuess ? " # which?" : ""}`,
    ...Object.entries(more).map(([key, value]) => `    ${key}: ${JSON.stringify(value)}`),
  ]);
}

/** An id as text in YAML, which takes the address of a Zigbee device, `0x00158d…`, for a number, and `null` for none. */
function plainOrQuoted(id: string): string {
  const isText = /^[a-z]/.test(id) && !["true", "false", "null"].includes(id);
  return isText ? id : JSON.stringify(id);
}
