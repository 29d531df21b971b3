import { existsSync, rmSync } from "node:fs";
import { Children } from "./children.ts";
import { commandOf, HELP, type Command } from "./command.ts";
import { CONTENDERS_HERE } from "./contenders/all.ts";
import { installPeers } from "./contenders/peer-packages.ts";
import { Notebook } from "./figures.ts";
import { load, thisMachine } from "./machine.ts";
import { measureAlone } from "./measures/baseline.ts";
import { measureCatchUp } from "./measures/catch-up.ts";
import { measureCentres } from "./measures/centre.ts";
import { measureLists } from "./measures/list.ts";
import { measureAlarmPanels } from "./measures/alarm-panels.ts";
import { measureReads } from "./measures/read.ts";
import { reasonOf } from "./measures/rounds.ts";
import { measureSignIns } from "./measures/sign-in.ts";
import { measureStarts } from "./measures/start.ts";
import { measureStorms } from "./measures/storm.ts";
import { measureTrips } from "./measures/trip.ts";
import { measureTripsUnderLoad } from "./measures/trip-under-load.ts";
import { measureWrites } from "./measures/write.ts";
import { RunFolder } from "./paths.ts";
import { FULL, QUICK, type Ground, type MeasureName } from "./plan.ts";
import { profileLoads } from "./profile.ts";
import { readResult, writeResult, type Result } from "./result.ts";
import { buildSlowFlush } from "./slow-flush.ts";
import { figureLines, goalLines } from "./tables.ts";
import { wrkMissing } from "./wrk.ts";

const WORK: Readonly<Record<MeasureName, (ground: Ground) => Promise<void>>> = {
  write: measureWrites,
  read: measureReads,
  list: measureLists,
  trip: measureTrips,
  "trip-load": measureTripsUnderLoad,
  storm: measureStorms,
  start: measureStarts,
  alone: measureAlone,
  "catch-up": measureCatchUp,
  "sign-in": measureSignIns,
  centre: measureCentres,
  dc09: measureAlarmPanels,
};

/** Measures that compare the product only with itself. */
const WITHOUT_PEERS: ReadonlySet<MeasureName> = new Set([
  "trip-load",
  "catch-up",
  "sign-in",
  "centre",
  "dc09",
]);

/** Maximum duration of a run. */
const RUN_MS_MAX = 6 * 3_600_000;

const tell = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<number> {
  const command = commandOf(process.argv.slice(2));
  if (command.help) {
    tell(HELP);
    return 0;
  }
  const missingTool = wrkMissing();
  if (missingTool !== undefined) throw new Error(missingTool);

  const interrupt = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const)
    process.on(name, () => interrupt.abort(new Error(`ended by ${name}`)));
  const signal = AbortSignal.any([interrupt.signal, AbortSignal.timeout(RUN_MS_MAX)]);
  const children = new Children();
  const folder = new RunFolder();
  // Ends what a measure is waiting for, so that it does not wait to its own limit.
  signal.addEventListener("abort", () => void children.endAll());
  try {
    await (command.profile ? profile : measure)(command, { signal, children, folder });
    return 0;
  } finally {
    await children.endAll();
    folder.remove();
  }
}

async function measure(
  command: Command,
  parts: Pick<Ground, "signal" | "children" | "folder">,
): Promise<void> {
  if (command.only.some((name) => !WITHOUT_PEERS.has(name))) await installPeers(tell, parts.signal);
  const asked = CONTENDERS_HERE.filter(
    ({ name }) => name === "santinela" || (command.peers?.includes(name) ?? true),
  );
  const missing = asked.flatMap((contender) => {
    const reason = contender.missing();
    return reason === undefined ? [] : [{ contender: contender.name, reason }];
  });
  for (const { contender, reason } of missing) tell(`without ${contender}: ${reason}`);

  const startMs = performance.now();
  const startedAt = new Date().toISOString().replace(/\.\d+Z$/, "Z");
  const before = load();
  const notebook = new Notebook();
  const ground: Ground = {
    ...parts,
    scale: command.quick ? QUICK : FULL,
    contenders: asked.filter((contender) => contender.missing() === undefined),
    notebook,
    slowFlush: buildSlowFlush(parts.folder),
    tell,
  };
  const resultNow = (): Result => ({
    format: 1,
    startedAt,
    minutes: (performance.now() - startMs) / 60_000,
    quick: command.quick,
    machine: thisMachine(),
    load: { before, after: load() },
    measured: notebook.measured,
    missing,
  });
  // A run takes hours: one that is interrupted keeps the measures that were finished.
  const unfinished = `${command.out}.part`;
  for (const name of command.only) {
    tell(name);
    const beginMs = performance.now();
    await attempt(ground, name);
    tell(`  ${name} took ${Math.round((performance.now() - beginMs) / 1000)} s`);
    writeResult(unfinished, resultNow());
  }
  const result = resultNow();
  writeResult(command.out, result);
  rmSync(unfinished, { force: true });
  for (const line of ["", ...figureLines(result), "", ...goalLines(result), "", `written to ${command.out}`])
    tell(line);
}

/** Reports a failed measure and continues, so that the results of the others are kept. */
async function attempt(ground: Ground, name: MeasureName): Promise<void> {
  try {
    await WORK[name](ground);
  } catch (error) {
    ground.signal.throwIfAborted();
    tell(`  ${name} is left out: ${reasonOf(error)}`);
    await ground.children.endAll();
  }
}

async function profile(
  command: Command,
  parts: Pick<Ground, "signal" | "children" | "folder">,
): Promise<void> {
  const ground: Ground = {
    ...parts,
    scale: command.quick ? QUICK : FULL,
    contenders: [],
    notebook: new Notebook(),
    slowFlush: undefined,
    tell,
  };
  const profiles = await profileLoads(ground);
  for (const { load: what, heaviest } of profiles) {
    tell(`\n${what}`);
    for (const { name, place, share } of heaviest)
      tell(`${(share * 100).toFixed(1).padStart(6)} %  ${name}  ${place}`);
  }
  if (existsSync(command.out)) writeResult(command.out, { ...readResult(command.out), profiles });
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
