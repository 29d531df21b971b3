import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { launch, type Contender, type Running } from "./contenders/contender.ts";
import { prepare } from "./contenders/santinela.ts";
import { brokerMissing } from "./measures/broker.ts";
import { burst } from "./measures/burst.ts";
import { atSensors } from "./measures/trip.ts";
import { BUILD, ROOT } from "./paths.ts";
import type { Ground } from "./plan.ts";
import { fill, post, read } from "./requests.ts";
import type { Profile } from "./result.ts";

/** A function that takes much of the time by itself, what it calls not counted. */
export interface Heavy {
  readonly name: string;
  /** File and line, below the repository where it is in it. */
  readonly place: string;
  /** Its part of the time that was not idle, 0 to 1. */
  readonly share: number;
}

const HEAVIEST = 10;

/** Long enough for thousands of samples: V8 takes one a millisecond. */
const PROFILED_SECONDS = 10;

/** Messages of the burst that is profiled. */
const PROFILED_MESSAGES = 6_000;

/** Runs the daemon under V8's sampling profiler: POSTs of 64 clients, GETs of 8, and a burst of trips. */
export async function profileLoads(ground: Ground): Promise<Profile[]> {
  const { tell } = ground;
  const requests = (load: (running: Running) => Promise<unknown>) =>
    profileOf(ground, async (profiled, during) => {
      const setting = { children: ground.children, folder: ground.folder.folder("profile"), environment: {} };
      const running = await launch(profiled, setting);
      await fill(running, ground);
      await during(() => load(running));
      // The profile is written at an orderly end.
      await running.child.end();
    });
  tell("profile: POST");
  const posting = await requests((running) => post(running, 64, ground, PROFILED_SECONDS));
  tell("profile: GET");
  const reading = await requests((running) => read(running, 8, ground, PROFILED_SECONDS));
  const profiles = [
    { load: "POST, 64 clients", heaviest: posting },
    { load: "GET by id, 8 clients", heaviest: reading },
  ];
  if (brokerMissing() !== undefined) return profiles;
  tell("profile: trips");
  const tripping = await profileOf(ground, (profiled, during) =>
    atSensors(ground, profiled, {}, (...site) => during(() => burst(ground, PROFILED_MESSAGES, ...site))),
  );
  return [...profiles, { load: "a burst of trips over MQTT", heaviest: tripping }];
}

/** @param run starts the profiled contender, calls `during` with the load, and ends it */
async function profileOf(
  ground: Ground,
  run: (profiled: Contender, during: (load: () => Promise<unknown>) => Promise<void>) => Promise<void>,
): Promise<Heavy[]> {
  const profiles = join(ground.folder.folder("profile"), "profiles");
  mkdirSync(profiles);
  const profiled: Contender = {
    name: "santinela",
    missing: () => undefined,
    // The modules, so that a place in the profile is one in the sources.
    prepare: (setting) =>
      prepare(setting, ["--cpu-prof", `--cpu-prof-dir=${profiles}`], join(BUILD, "main.js")),
  };
  let [fromUs, toUs] = [0, 0];
  await run(profiled, async (load) => {
    fromUs = nowUs();
    await load();
    toUs = nowUs();
  });
  const [name] = readdirSync(profiles);
  if (name === undefined) throw new Error("the profiler has written nothing");
  const written = JSON.parse(readFileSync(join(profiles, name), "utf8")) as CpuProfile;
  return heaviest(written, { fromUs, toUs, count: HEAVIEST });
}

/** The monotonic clock of the system, which the profiles of every process count in. */
function nowUs(): number {
  return Number(process.hrtime.bigint() / 1000n);
}

/** What V8 writes: the nodes of a call tree, and which of them was running at each sample. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  }[];
  /** Microseconds of the system's monotonic clock. */
  readonly startTime: number;
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

/**
 * The functions with the most time of their own, the heaviest first. Waiting is no work and is left out, and so is what
 * was done before and after the load.
 */
export function heaviest(
  { nodes, startTime, samples, timeDeltas }: CpuProfile,
  { fromUs, toUs, count }: { fromUs: number; toUs: number; count: number },
): Heavy[] {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const own = new Map<string, { name: string; place: string; us: number }>();
  let allUs = 0;
  let atUs = startTime;
  for (const [index, id] of samples.entries()) {
    const frame = frames.get(id);
    const us = timeDeltas[index] ?? 0;
    atUs += us;
    const isLoad = atUs >= fromUs && atUs <= toUs;
    if (!frame || !isLoad || frame.functionName === "(idle)" || us <= 0) continue;
    allUs += us;
    const name = frame.functionName || "(anonymous)";
    const place = placeOf(frame.url, frame.lineNumber);
    const entry = own.get(`${name} ${place}`) ?? { name, place, us: 0 };
    entry.us += us;
    own.set(`${name} ${place}`, entry);
  }
  return [...own.values()]
    .toSorted((a, b) => b.us - a.us)
    .slice(0, count)
    .map(({ name, place, us }) => ({ name, place, share: us / allUs }));
}

function placeOf(url: string, lineNumber: number): string {
  if (url === "") return "native";
  const path = url.startsWith("file:") ? fileURLToPath(url) : url;
  const below = path.startsWith(ROOT) ? path.slice(ROOT.length) : path;
  // V8 counts lines from 0.
  return `${below}:${lineNumber + 1}`;
}
