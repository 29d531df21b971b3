import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import {
  LOAD_ACCOUNTS,
  isEncrypted,
  objectiveOf,
  SENSORS_BESIDE,
  TIMED_ACCOUNT,
  SantinelaWithAlarmPanels,
} from "../contenders/alarm-panels.ts";
import { sensorNumbers } from "../contenders/sensors.ts";
import { noteMachine } from "../machine.ts";
import type { Ground } from "../plan.ts";
import { percentile } from "../statistics.ts";
import { brokerMissing } from "./broker.ts";
import { untilIdle } from "./burst.ts";
import { NewestRecords } from "./newest-records.ts";
import type { CommitCounter } from "./commit-counter.ts";
import { AlarmPanelConnection, type Reported } from "./alarm-panel-connection.ts";
import { atSensors } from "./trip.ts";
import { tripTimes } from "./trip-times.ts";

/** Ten thousand events a minute, alarms and restorals, from all panels alike: a district after a lightning stroke. */
const PER_SECOND = 10_000 / 60;
/** How often the panels that are due report, milliseconds. */
const TICK_MS = 5;
/** Between two openings, so that they meet different moments of the load. */
const PAUSE_MS = 50;

/** Openings without a load, beside hostile senders to another process and to the receiver, and beside the panels. */
const TURNS = 4;
/** The last sensor is the probe. */
const OPENINGS_MAX = Math.floor((SENSORS_BESIDE - 1) / TURNS);

/** What the receiver for alarm panels can take, and what a sensor's trip takes beside it. */
export async function measureAlarmPanels(ground: Ground): Promise<void> {
  const { scale, tell } = ground;
  const missing = brokerMissing();
  if (missing !== undefined) {
    tell(`  dc09 is left out: ${missing}`);
    return;
  }
  for (let round = 0; round < scale.loadRounds; round += 1) {
    tell(`  dc09: round ${round + 1} of ${scale.loadRounds}`);
    noteMachine(ground);
    const contender = new SantinelaWithAlarmPanels();
    await atSensors(ground, contender, {}, async (running, sensors, onlooker) => {
      const newest = new NewestRecords(running.site.records?.file ?? "");
      const lines = new Map<string, AlarmPanelConnection>();
      const count = Math.min(scale.loadTrips, OPENINGS_MAX);
      const openings = (turn: 0 | 1 | 2 | 3): Promise<number[]> => {
        const numbers = sensorNumbers.slice(turn * count, (turn + 1) * count);
        return tripTimes(sensors, numbers, (sensor) => newest.at(sensor), PAUSE_MS);
      };
      try {
        await noteTimed(ground, contender.receiverPort, newest);
        notePercentiles(ground, "dc09-trip-idle", await openings(0));
        await noteElsewhere(ground, () => openings(1));
        await noteHostile(ground, contender.receiverPort, () => openings(2));
        // Only now: a connection that has sent nothing yet is closed for those that are hostile.
        for (const account of LOAD_ACCOUNTS)
          lines.set(account, await AlarmPanelConnection.open(account, contender.receiverPort));
        await noteMinute(ground, [...lines.values()], onlooker, () => openings(3));
        // Last: what the zones are beyond their twenty trips a minute is acknowledged, and only counted.
        await noteRates(ground, lines);
      } finally {
        for (const line of lines.values()) line.close();
        newest.close();
      }
    });
  }
}

/** Each alarm of another zone, one after the other: to its acknowledgement, and to its committed record. */
async function noteTimed(ground: Ground, port: number, newest: NewestRecords): Promise<void> {
  const line = await AlarmPanelConnection.open(TIMED_ACCOUNT, port);
  const acknowledged: number[] = [];
  const recorded: number[] = [];
  for (let zone = 1; zone <= ground.scale.panelAlarms; zone += 1) {
    const before = newest.at(objectiveOf(zone));
    const startMs = performance.now();
    const ackMs = await line.alarm(zone);
    if (ackMs === undefined) throw new Error(`the alarm of zone ${zone} was not acknowledged`);
    acknowledged.push(ackMs);
    while (newest.at(objectiveOf(zone)) === before) {
      if (performance.now() - startMs > ground.scale.silenceMs * 2)
        throw new Error(`the alarm of zone ${zone} was no record`);
      await delay(0);
    }
    recorded.push(performance.now() - startMs);
  }
  line.close();
  notePercentiles(ground, "dc09-ack", acknowledged);
  notePercentiles(ground, "dc09-record", recorded);
}

/** The trips of sensors while hundreds of connections send what is rejected. */
async function noteHostile(ground: Ground, port: number, openings: () => Promise<number[]>): Promise<void> {
  const { times, perSecond } = await besideHostile(ground, port, openings);
  notePercentiles(ground, "dc09-trip-hostile", times);
  ground.notebook.note("dc09-hostile-rate", "santinela", perSecond);
  ground.tell(`    hostile: ${perSecond.toFixed(0)} messages/s`);
}

/** As `noteHostile`, but another process receives and discards it: what the senders alone take from a trip. */
async function noteElsewhere(ground: Ground, openings: () => Promise<number[]>): Promise<void> {
  const { children, folder } = ground;
  const child = children.start({
    command: process.execPath,
    args: [fileURLToPath(new URL("./discarding-receiver.js", import.meta.url))],
    logFile: join(folder.path, "discarding-receiver.log"),
  });
  const port = (): number => Number(/^port (\d+)$/m.exec(child.said)?.[1] ?? 0);
  await child.until("the receiver that discards", () => port() !== 0);
  const { times } = await besideHostile(ground, port(), openings);
  notePercentiles(ground, "dc09-trip-elsewhere", times);
  await child.end();
}

/** Trips while the hostile senders send to a port. @returns their times in milliseconds, and the messages per second */
async function besideHostile(
  { children, folder }: Ground,
  port: number,
  openings: () => Promise<number[]>,
): Promise<{ readonly times: readonly number[]; readonly perSecond: number }> {
  // Not a plain one of the load: what is sent from its address in its name uses up its rate.
  const [, encrypted = ""] = LOAD_ACCOUNTS;
  const program = fileURLToPath(new URL("./hostile-alarm-panels.js", import.meta.url));
  const child = children.start({
    command: process.execPath,
    args: [program, String(port), encrypted, TIMED_ACCOUNT],
    logFile: join(folder.path, "hostile-alarm-panels.log"),
  });
  const startMs = performance.now();
  await child.until("the hostile connections", () => child.said.includes("begun"));
  const times = await openings();
  await child.end();
  const sent = Number(/^sent (\d+)$/m.exec(child.said)?.[1]);
  return { times, perSecond: (sent / (performance.now() - startMs)) * 1000 };
}

/** As many frames as the panels of one kind can send, each after the acknowledgement of its last one. */
async function noteRates(ground: Ground, lines: ReadonlyMap<string, AlarmPanelConnection>): Promise<void> {
  const { notebook, scale, tell } = ground;
  for (const kind of ["plain", "aes"] as const) {
    const chosen = [...lines].filter(([account]) => isEncrypted(account) === (kind === "aes"));
    const startMs = performance.now();
    const isOver = (): boolean => performance.now() - startMs > scale.seconds * 1000;
    const counts = await Promise.all(
      chosen.map(async ([account, line]) => {
        let frames = 0;
        while (!isOver()) {
          if ((await line.next()).ackMs === undefined)
            throw new Error(`panel ${account} was not acknowledged`);
          frames += 1;
        }
        return frames;
      }),
    );
    const perSecond = counts.reduce((sum, count) => sum + count, 0) / ((performance.now() - startMs) / 1000);
    notebook.note(`dc09-${kind}-rate`, "santinela", perSecond);
    tell(`    ${kind}: ${perSecond.toFixed(0)} frames/s of ${chosen.length} panels`);
  }
}

/** Ten thousand events a minute, and the trips of sensors meanwhile. */
async function noteMinute(
  ground: Ground,
  lines: readonly AlarmPanelConnection[],
  onlooker: CommitCounter,
  openings: () => Promise<number[]>,
): Promise<void> {
  const { notebook, scale, signal, tell } = ground;
  const before = onlooker.openings();
  const startMs = performance.now();
  let isMeasured = false;
  const isOver = (): boolean => isMeasured && performance.now() - startMs > scale.panelSeconds * 1000;
  const under: Promise<Reported>[] = [];
  const send = async (): Promise<void> => {
    const busy = new Set<AlarmPanelConnection>();
    while (!isOver()) {
      const due = Math.floor(((performance.now() - startMs) / 1000) * PER_SECOND);
      while (under.length < due) {
        const line = lines[under.length % lines.length];
        // The next one still waits for its answer: those that are due follow later.
        if (!line || busy.has(line)) break;
        busy.add(line);
        under.push(line.next().finally(() => busy.delete(line)));
      }
      await delay(TICK_MS, undefined, { signal });
    }
  };
  const sending = send();
  const times = await openings().finally(() => (isMeasured = true));
  await sending;
  const perMinute = (under.length / (performance.now() - startMs)) * 60_000;
  const reported = await Promise.all(under);
  const answered = reported.flatMap(({ ackMs }) => (ackMs === undefined ? [] : [ackMs]));
  const alarms = reported.filter(({ isAlarm, ackMs }) => isAlarm && ackMs !== undefined).length;
  await untilIdle(onlooker);
  const lost = alarms + times.length - (onlooker.openings() - before);
  notePercentiles(ground, "dc09-trip-flood", times);
  notebook.note("dc09-minute-rate", "santinela", perMinute);
  notebook.note("dc09-minute-p99", "santinela", percentile(answered, 99));
  notebook.note("dc09-minute-lost", "santinela", under.length - answered.length + Math.max(0, lost));
  tell(
    `    ${perMinute.toFixed(0)} events a minute: ${answered.length} of ${under.length} acknowledged, ${alarms} alarms, ${lost} of them no trip`,
  );
}

type Timed =
  | "dc09-ack"
  | "dc09-record"
  | "dc09-trip-idle"
  | "dc09-trip-elsewhere"
  | "dc09-trip-hostile"
  | "dc09-trip-flood";

function notePercentiles({ notebook, tell }: Ground, figure: Timed, times: readonly number[]): void {
  const [p50, p99] = [percentile(times, 50), percentile(times, 99)];
  notebook.note(`${figure}-p50`, "santinela", p50);
  notebook.note(`${figure}-p99`, "santinela", p99);
  tell(`    ${figure}: p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`);
}
