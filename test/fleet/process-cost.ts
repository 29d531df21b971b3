import { readdirSync, readFileSync } from "node:fs";

/** Ticks per second of the processor times in /proc (proc(5)). */
const TICKS_PER_SECOND = 100;

/** What a process and its children have used so far. */
export interface ProcessCost {
  readonly cpuMs: number;
  /** Proportional share of the memory, which counts what they share once. */
  readonly memoryMb: number;
}

/** @returns nothing for a process that does not run, so that one that was killed adds what was counted of it before */
export function costOf(pid: number | undefined): ProcessCost {
  if (pid === undefined) return { cpuMs: 0, memoryMb: 0 };
  const pids = [pid, ...childrenOf(pid)];
  // The children that have ended are in the times of their parent.
  const ended = times(pid).slice(2, 4);
  const ticks = pids.flatMap((one) => times(one).slice(0, 2)).concat(ended);
  const memoryKb = pids.map((one) => Number(/^Pss:\s+(\d+) kB/m.exec(read(one, "smaps_rollup"))?.[1] ?? 0));
  return { cpuMs: (sum(ticks) * 1000) / TICKS_PER_SECOND, memoryMb: sum(memoryKb) / 1024 };
}

function childrenOf(pid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((one) => Number(fields(one)[1]) === pid);
}

/** User and system time of a process, and those of its children that have ended. */
function times(pid: number): number[] {
  return fields(pid)
    .slice(11, 15)
    .map((text) => Number(text));
}

/** The fields of /proc/<pid>/stat from the state on. */
function fields(pid: number): string[] {
  return read(pid, "stat").split(") ").at(-1)?.split(" ") ?? [];
}

function read(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
