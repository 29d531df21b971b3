import { readFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import type { Need } from "./watched-daemon.ts";

/** All figures of a flood or use, the rows of the tables of docs/verification.md, and what else ran on the machine. */
const HEAD = [
  "What",
  "Seconds",
  "Memory before, most (MiB)",
  "Growth, of the room in the unit (MiB)",
  "Sensing thread, usual and longest delay (ms)",
  "Records thread, longest delay (ms)",
  "Front thread, longest delay (ms)",
  "Broker thread, longest delay (ms)",
  "Trips on the wire, median, longest (ms)",
  "Trips at the broker, median, longest (ms)",
  "Responses to a user, median, longest (ms)",
  "Done",
] as const;

const OTHER_THREADS = ["records", "front", "broker"] as const;

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
  const { seconds, restMiB, peakMiB, delaysMs, wireMs, brokerMs, userMs, attack } = need;
  const cells = [
    name,
    round(seconds),
    `${round(restMiB)}, ${round(peakMiB)}`,
    `${round(peakMiB - restMiB)} of ${round(unitRoomMiB())}`,
    `${usual(delaysMs.get("sensing") ?? [])}, ${longestDelay(need, "sensing")}`,
    ...OTHER_THREADS.map((thread) => longestDelay(need, thread)),
    tripsOf(wireMs),
    tripsOf(brokerMs),
    userMs.length > 0 ? tripsOf(userMs) : "–",
    attack.failed > 0 ? `${attack.done}, ${attack.failed} failed` : attack.done,
  ];
  return rowFrom(cells);
}

/** The row for "Floods at the broker" of docs/verification.md. @param before figures of earlier versions, for its last columns */
export function floodRowOf(name: string, need: Need, before: readonly string[]): string {
  const { restMiB, peakMiB } = need;
  return rowFrom([
    name,
    round(peakMiB),
    round(peakMiB - restMiB),
    ...threadCells(need),
    tripCell(need),
    ...before,
  ]);
}

/** The row for "Heavy permitted use" of docs/verification.md. */
export function useRowOf(name: string, need: Need): string {
  const done = need.attack.done.toLocaleString("en");
  return rowFrom([name, round(need.peakMiB), ...threadCells(need), tripCell(need), done]);
}

function threadCells(need: Need): string[] {
  return ["sensing", ...OTHER_THREADS].map((thread) => longestDelay(need, thread));
}

/** The longest delay of a thread; `-` for a thread that does not exist. */
function longestDelay({ delaysMs }: Need, thread: string): string {
  const ofThread = delaysMs.get(thread);
  return ofThread ? round(Math.max(...ofThread)) : "-";
}

function tripCell({ wireMs, brokerMs }: Need): string {
  return [wireMs, brokerMs].map((tookMs) => Math.round(Math.max(...tookMs)).toLocaleString("en")).join(", ");
}

function usual(values: readonly number[]): string {
  return round(values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN);
}

function rowFrom(cells: readonly (string | number)[]): string {
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
