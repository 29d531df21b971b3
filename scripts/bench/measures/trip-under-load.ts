import { cpSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Contender, Running } from "../contenders/contender.ts";
import { prepare, santinela } from "../contenders/santinela.ts";
import { sensorNumbers } from "../contenders/sensors.ts";
import type { TripLoad } from "../figures.ts";
import { noteMachine } from "../machine.ts";
import { SOURCE } from "../paths.ts";
import type { Ground } from "../plan.ts";
import { post, postAlone, read } from "../requests.ts";
import { percentile } from "../statistics.ts";
import { brokerMissing } from "./broker.ts";
import { NewestRecords } from "./newest-records.ts";
import { seeded } from "./seeded.ts";
import { atSensors } from "./trip.ts";
import { tripTimes } from "./trip-times.ts";

/** Between two openings, so that they meet different moments of a load. */
const PAUSE_MS = 50;
/** A load has begun by then. */
const BEGINNING_MS = 500;
/** A list that no index serves: every row is read and sorted. */
const SORTED_LIST = "/interventii?_sort=notes&_order=ASC&_start=0&_end=25";

/** What else the daemon does: a load that goes on until the signal is aborted. */
type Load = (running: Running, ground: Ground, signal: AbortSignal) => Promise<void>;
type Loads = readonly (readonly [name: TripLoad, load: Load | undefined])[];

/**
 * In this order: a list and a backup go on for a while after their client has left.
 * Here 64 clients that never pause stand for the storm of `storm.ts`: its ten thousand sites are clients of a dispatch centre,
 * which has no sensors, and it is over after ten seconds.
 */
const LOADS: Loads = [
  ["idle", undefined],
  ["reads", repeated((running, ground) => read(running, 8, ground, 1))],
  ["writes", repeated((running, ground) => post(running, 8, ground, 1))],
  ["storm", repeated((running, ground) => postAlone(running, 64, ground, 1))],
  ["sort", asking(SORTED_LIST)],
  ["backup", asking("/site/backup")],
];

/** With a slow flush, in a process of its own. Only writes wait for the disk. */
const SLOW_LOADS: Loads = [
  ["slow-idle", undefined],
  ["slow-writes", repeated((running, ground) => post(running, 8, ground, 1))],
];

/** How long a trip takes while the daemon, with a large table, does something else; beside the time when it is idle. */
export async function measureTripsUnderLoad(ground: Ground): Promise<void> {
  const { scale, tell } = ground;
  const missing = brokerMissing();
  if (missing !== undefined) {
    tell(`  trip-load is left out: ${missing}`);
    return;
  }
  const template = await seeded(ground, scale.rows);
  const contender: Contender = {
    ...santinela,
    prepare: (setting) => {
      // A daemon that was killed leaves its socket, which cannot be copied.
      const filter = (path: string): boolean => !path.endsWith(".sock");
      cpSync(join(template, "data"), join(setting.folder, "data"), { recursive: true, filter });
      return prepare(setting, []);
    },
  };
  for (let round = 0; round < scale.loadRounds; round += 1) {
    tell(`  trip-load: round ${round + 1} of ${scale.loadRounds}`);
    noteMachine(ground);
    await measureUnder(ground, contender, {}, LOADS);
    if (ground.slowFlush) await measureUnder(ground, contender, ground.slowFlush, SLOW_LOADS);
  }
  if (!ground.slowFlush)
    tell("  trip-load with a slow flush is left out: no C compiler (cc) to build the shim with");
}

/** Trips of one start, under one load after the other. */
function measureUnder(
  ground: Ground,
  contender: Contender,
  environment: Readonly<Record<string, string>>,
  loads: Loads,
): Promise<void> {
  const { scale, notebook, tell } = ground;
  return atSensors(ground, contender, environment, async (running, sensors) => {
    const newest = new NewestRecords(running.site.records?.file ?? "");
    for (const [index, [name, load]] of loads.entries()) {
      // Each opening of a new incident, and so a record: a sensor opens once. The first objective has the load's records.
      const first = 1 + index * scale.loadTrips;
      const numbers = sensorNumbers.slice(first, first + scale.loadTrips);
      const times = await during(load && ((signal) => load(running, ground, signal)), () =>
        tripTimes(sensors, numbers, (sensor) => newest.at(sensor), PAUSE_MS),
      );
      const [p50, p99] = [percentile(times, 50), percentile(times, 99)];
      notebook.note(`trip-${name}-p50`, "santinela", p50);
      notebook.note(`trip-${name}-p99`, "santinela", p99);
      tell(`    ${name}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
    }
    newest.close();
  });
}

/**
 * Works while a load goes on.
 * @throws the error of a load that ended early: the work was not measured under it
 */
async function during<T>(
  load: ((signal: AbortSignal) => Promise<void>) | undefined,
  work: () => Promise<T>,
): Promise<T> {
  if (!load) return work();
  const over = new AbortController();
  const loading = load(over.signal);
  // Reported below; until then it must not end the process.
  loading.catch(() => {});
  try {
    await delay(BEGINNING_MS);
    return await work();
  } finally {
    over.abort();
    await loading;
  }
}

/** A load in pieces. */
function repeated(piece: (running: Running, ground: Ground) => Promise<unknown>): Load {
  return async (running, ground, signal) => {
    while (!signal.aborted) await piece(running, ground);
  };
}

/** A GET in a process of its own, again and again, over the control socket. */
function asking(path: string): Load {
  return async (running, { children, folder }, signal) => {
    const socket = join(running.site.records?.file ?? "", "..", "control.sock");
    const child = children.start({
      command: process.execPath,
      args: [join(SOURCE, "repeat-get.mjs"), socket, path],
      logFile: join(folder.folder("asking"), "log"),
    });
    await child.until(`the end of ${path}`, () => signal.aborted);
    await child.end();
  };
}
