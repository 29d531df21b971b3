import { readFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import type { Need } from "./watched-daemon.ts";

/** The rows from which the tables of docs/verification.md are made, and what else ran on the machine meanwhile. */
const HEAD = [
  "What",
  "Seconds",
  "Memory before, most (MiB)",
  "Growth, of the room in the unit (MiB)",
  "Delay of the event loop, usual, longest (ms)",
  "Trips on the wire, median, longest (ms)",
  "Trips at the broker, median, longest (ms)",
  "Responses to a user, median, longest (ms)",
  "Done",
] as const;

export const HEADING = `| ${HEAD.join(" | ")} |\n| ${HEAD.map(() => "---").join(" | ")} |`;

const UNIT = new URL("../../systemd/santinela.service", import.meta.url);
/** Of an idle daemon with 500 objectives on a Raspberry Pi, rounded up (docs/performance.md). */
const IDLE_MIB = 110;

/** Memory by which an idle daemon may grow before it reaches MemoryMax of its unit, at which the kernel ends it. */
function unitRoomMiB(): number {
  return Number(/^MemoryMax=(\d+)M$/m.exec(readFileSync(UNIT, "utf8"))?.[1]) - IDLE_MIB;
}

/** The most memory that the daemon may use in a test: an idle daemon would still be within the limit of its unit. */
export function memoryMaxMiB({ restMiB }: Need): number {
  return restMiB + unitRoomMiB();
}

/** A row for one flood or use. */
export function rowOf(name: string, need: Need): string {
  const { seconds, restMiB, peakMiB, usualDelayMs, longestDelayMs, wireMs, brokerMs, userMs, attack } = need;
  const cells = [
    name,
    round(seconds),
    `${round(restMiB)}, ${round(peakMiB)}`,
    `${round(peakMiB - restMiB)} of ${round(unitRoomMiB())}`,
    `${round(usualDelayMs)}, ${round(longestDelayMs)}`,
    tripsOf(wireMs),
    tripsOf(brokerMs),
    userMs.length > 0 ? tripsOf(userMs) : "–",
    attack.failed > 0 ? `${attack.done}, ${attack.failed} failed` : attack.done,
  ];
  return `| ${cells.join(" | ")} |`;
}

/** Load of the machine: results under other load say little about the daemon. */
export function machineLine(): string {
  const load = loadavg().map((number) => number.toFixed(1));
  return `load of the machine over 1, 5 and 15 minutes: ${load.join(", ")} on ${availableParallelism()} cores`;
}

function tripsOf(tookMs: readonly number[]): string {
  const sorted = tookMs.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  return `${sorted.length}: ${round(median)}, ${round(sorted.at(-1) ?? Number.NaN)}`;
}

function round(number: number): string {
  return String(Math.round(number));
}
