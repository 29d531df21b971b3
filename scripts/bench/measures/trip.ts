import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import { connectAsync, type MqttClient } from "mqtt";
import { launch, type Contender, type Running } from "../contenders/contender.ts";
import { messageOf, SENSORS, sensorNumbers, topicOf } from "../contenders/sensors.ts";
import { noteMachine } from "../machine.ts";
import type { Ground } from "../plan.ts";
import { percentile } from "../statistics.ts";
import { brokerMissing, startBroker } from "./broker.ts";
import { Onlooker } from "./onlooker.ts";
import { chosen, leavingOut } from "./rounds.ts";

/** A single opening that has not become a record by then never will. */
const LOST_MS = 30_000;
/** A burst that creeps on is ended here. */
const BURST_MS_MAX = 15 * 60_000;
/** How often the probe opens at most, and how long each opening is given. */
const PROBES = 6;
const PROBE_MS = 10_000;
/** When nothing was committed for so long, all is done. */
const QUIET_MS = 1_000;
/** Its openings show that the way is open from end to end; no other measure uses it. */
const PROBE = SENSORS;

/** How long an opening takes from the sensor's message to the committed record, and what becomes of thousands. */
export async function measureTrips(ground: Ground): Promise<void> {
  const { scale, tell } = ground;
  const missing = brokerMissing();
  if (missing !== undefined) {
    tell(`  trip is left out: ${missing}`);
    return;
  }
  const contenders = new Set(chosen(ground, ["santinela", "node-red", "express"]));
  for (let round = 0; round < scale.rounds; round += 1) {
    noteMachine(ground);
    for (const contender of contenders) {
      tell(`  trip: round ${round + 1} of ${scale.rounds}, ${contender.name}`);
      // Each starts anew with a broker of its own: a queue that one has left must not be the next one's.
      const isDone = await leavingOut(ground, "trip", contender.name, () => measureOne(ground, contender));
      if (!isDone) contenders.delete(contender);
    }
  }
}

async function measureOne(ground: Ground, contender: Contender): Promise<void> {
  const { children, folder } = ground;
  const brokerUrl = await startBroker(children, folder.folder("broker"));
  const setting = { children, folder: folder.folder(contender.name), environment: {}, brokerUrl };
  const running = await launch(contender, setting);
  const { records } = running.site;
  if (!records) throw new Error("it has no records to look at");
  const onlooker = new Onlooker(records);
  const sensors = await connectAsync(brokerUrl);
  try {
    await untilHeard(sensors, onlooker);
    for (const sensor of sensorNumbers) sensors.publish(topicOf(sensor), messageOf("closed"), { qos: 1 });
    await untilHeard(sensors, onlooker);
    await noteSingle(ground, running, sensors, onlooker);
    await noteBurst(ground, running, sensors, onlooker);
  } finally {
    await sensors.endAsync(true);
    onlooker.close();
    await children.endAll();
  }
}

/**
 * Closes and opens the probe until one of its openings has come through: then everything before it has as well. Few
 * times, because a contact that opens very often is a faulty one.
 */
async function untilHeard(sensors: MqttClient, onlooker: Onlooker): Promise<void> {
  const before = onlooker.openings();
  const isThrough = (): boolean => onlooker.openings() > before;
  for (let attempt = 0; attempt < PROBES && !isThrough(); attempt += 1) {
    for (const contact of ["closed", "open"] as const)
      await sensors.publishAsync(topicOf(PROBE), messageOf(contact), { qos: 1 });
    await untilOr(PROBE_MS, isThrough);
  }
  if (!isThrough()) throw new Error("no opening of the probe has come through");
  // Of the probe's openings some may still be on their way.
  let commits = -1;
  await untilOr(LOST_MS, () => commits === (commits = onlooker.commits()), QUIET_MS);
}

/** Looks again and again, but no longer than `withinMs`. */
async function untilOr(withinMs: number, look: () => boolean, everyMs = 20): Promise<void> {
  const end = performance.now() + withinMs;
  while (!look() && performance.now() < end) await delay(everyMs);
}

/** One opening after the other, each of another sensor. */
async function noteSingle(
  { scale, notebook }: Ground,
  { name }: Running,
  sensors: MqttClient,
  onlooker: Onlooker,
): Promise<void> {
  const times: number[] = [];
  for (const sensor of sensorNumbers.slice(0, scale.trips)) {
    const before = onlooker.records();
    const startMs = performance.now();
    sensors.publish(topicOf(sensor), messageOf("open"), { qos: 1 });
    while (onlooker.records() === before) {
      if (performance.now() - startMs > LOST_MS)
        throw new Error(`an opening was no record after ${LOST_MS} ms`);
      await nextTurn();
      rest();
    }
    times.push(performance.now() - startMs);
  }
  notebook.note("trip-p50", name, percentile(times, 50));
  notebook.note("trip-p99", name, percentile(times, 99));
}

const RESTING = new Int32Array(new SharedArrayBuffer(4));
const REST_MS = 0.2;

/** Shorter than any timer, and unlike a busy wait it leaves the processor to those that are measured. */
function rest(): void {
  Atomics.wait(RESTING, 0, 0, REST_MS);
}

async function noteBurst(
  { scale, notebook, signal }: Ground,
  { name, child }: Running,
  sensors: MqttClient,
  onlooker: Onlooker,
): Promise<void> {
  const before = onlooker.openings();
  const expected = scale.burst / 2;
  child.forgetPeak();
  const startMs = performance.now();
  const publishing = publishBurst(sensors, scale.burst);
  let through = 0;
  let throughMs = startMs;
  let commits = onlooker.commits();
  let activeMs = startMs;
  while (through < expected && performance.now() - startMs < BURST_MS_MAX) {
    signal.throwIfAborted();
    await delay(20);
    const nowMs = performance.now();
    const now = onlooker.openings() - before;
    if (now > through) throughMs = nowMs;
    through = now;
    const seen = onlooker.commits();
    if (seen !== commits) activeMs = nowMs;
    else if (nowMs - activeMs > scale.silenceMs) break;
    commits = seen;
  }
  await publishing;
  notebook.note("burst-lost", name, expected - through);
  notebook.note("burst-peak", name, child.peakMb);
  notebook.note("burst-rate", name, through === 0 ? 0 : (through * 2) / ((throughMs - startMs) / 1000));
}

/**
 * All sensors close, then all open, and again, until so many messages are sent. One pass waits for the broker to have
 * the one before: the publisher must not be what overflows.
 */
async function publishBurst(sensors: MqttClient, messages: number): Promise<void> {
  for (let sent = 0; sent < messages; sent += SENSORS) {
    const message = messageOf((sent / SENSORS) % 2 === 0 ? "closed" : "open");
    await Promise.all(
      sensorNumbers.map((sensor) => sensors.publishAsync(topicOf(sensor), message, { qos: 1 })),
    );
  }
}
