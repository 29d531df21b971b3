import { createHash } from "node:crypto";
import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from "node:fs";
import { cpus, loadavg, release, totalmem } from "node:os";
import { join } from "node:path";
import type { Ground } from "./plan.ts";
import { median } from "./statistics.ts";

/** Where a run took place. */
export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryMb: number;
  readonly kernel: string;
  readonly node: string;
}

export function thisMachine(): Machine {
  const processors = cpus();
  return {
    processor: processors[0]?.model.trim() || process.arch,
    cores: processors.length,
    memoryMb: Math.round(totalmem() / 2 ** 20),
    kernel: release(),
    node: process.versions.node,
  };
}

/** Load average of the last minute. */
export function load(): number {
  return loadavg()[0] ?? 0;
}

/** Measures the machine alone before each round: its variation is the noise of all other figures. */
export function noteMachine({ folder, notebook }: Ground): void {
  notebook.note("flush", "machine", flushMs(join(folder.path, "flush")));
  notebook.note("work", "machine", workMs());
}

const FLUSHES = 50;

function flushMs(path: string): number {
  const file = openSync(path, "w");
  const page = Buffer.alloc(4096, 1);
  const times = Array.from({ length: FLUSHES }, () => {
    const startMs = performance.now();
    writeSync(file, page);
    fdatasyncSync(file);
    return performance.now() - startMs;
  });
  closeSync(file);
  rmSync(path);
  return median(times);
}

const HASHED_BYTES = 16 * 1024 * 1024;

function workMs(): number {
  const startMs = performance.now();
  createHash("sha256").update(Buffer.alloc(HASHED_BYTES)).digest();
  return performance.now() - startMs;
}
