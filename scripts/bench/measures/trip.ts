import { connectAsync, type MqttClient } from "mqtt";
import { launch, type Contender, type Running } from "../contenders/contender.ts";
import { messageOf, SENSORS, sensorNumbers, topicOf } from "../contenders/sensors.ts";
import { noteMachine } from "../machine.ts";
import { freePort } from "../paths.ts";
import type { Ground } from "../plan.ts";
import { percentile } from "../statistics.ts";
import { brokerMissing, startBroker } from "./broker.ts";
import { burst, untilOr, untilIdle } from "./burst.ts";
import { CommitCounter } from "./commit-counter.ts";
import { chosen, leavingOut } from "./rounds.ts";
import { tripTimes } from "./trip-times.ts";

/** How often the probe opens at most, and how long each opening is given. */
const PROBES = 6;
const PROBE_MS = 10_000;
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
  const contenders = new Set(
    chosen(ground, ["santinela", "santinela-broker", "node-red", "node-red-wal", "express"]),
  );
  for (let round = 0; round < scale.rounds; round += 1) {
    noteMachine(ground);
    for (const contender of contenders) {
      tell(`  trip: round ${round + 1} of ${scale.rounds}, ${contender.name}`);
      // Each starts with a new broker, so that no queue remains from the previous one.
      const isDone = await leavingOut(ground, "trip", contender.name, () => measureOne(ground, contender));
      if (!isDone) contenders.delete(contender);
    }
  }
}

function measureOne(ground: Ground, contender: Contender): Promise<void> {
  const { scale, notebook } = ground;
  return atSensors(ground, contender, {}, async (running, sensors, onlooker) => {
    const { name } = running;
    const times = await tripTimes(sensors, sensorNumbers.slice(0, scale.trips), () => onlooker.records());
    notebook.note("trip-p50", name, percentile(times, 50));
    notebook.note("trip-p99", name, percentile(times, 99));
    const { lost, peakMb, perSecond } = await burst(ground, scale.burst, running, sensors, onlooker);
    notebook.note("burst-lost", name, lost);
    notebook.note("burst-peak", name, peakMb);
    notebook.note("burst-rate", name, perSecond);
  });
}

/**
 * Starts a contender, with a new broker unless it is one, and sensors that are online and closed.
 * @param environment of the contender's process, such as a slow flush
 */
export async function atSensors(
  { children, folder }: Pick<Ground, "children" | "folder">,
  contender: Contender,
  environment: Readonly<Record<string, string>>,
  work: (running: Running, sensors: MqttClient, onlooker: CommitCounter) => Promise<void>,
): Promise<void> {
  const brokerUrl =
    contender.isBroker === true
      ? `mqtt://127.0.0.1:${await freePort()}`
      : await startBroker(children, folder.folder("broker"));
  const setting = { children, folder: folder.folder(contender.name), environment, brokerUrl };
  const running = await launch(contender, setting);
  const { records } = running.site;
  if (!records) throw new Error("it has no records to look at");
  const onlooker = new CommitCounter(records);
  // Again until it listens: the built-in broker is started after the API.
  const sensors = await connectAsync(brokerUrl);
  try {
    await untilHeard(sensors, onlooker);
    for (const sensor of sensorNumbers) sensors.publish(topicOf(sensor), messageOf("closed"), { qos: 1 });
    await untilHeard(sensors, onlooker);
    await work(running, sensors, onlooker);
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
async function untilHeard(sensors: MqttClient, onlooker: CommitCounter): Promise<void> {
  const before = onlooker.openings();
  const isThrough = (): boolean => onlooker.openings() > before;
  for (let attempt = 0; attempt < PROBES && !isThrough(); attempt += 1) {
    for (const contact of ["closed", "open"] as const)
      await sensors.publishAsync(topicOf(PROBE), messageOf(contact), { qos: 1 });
    await untilOr(PROBE_MS, isThrough);
  }
  if (!isThrough()) throw new Error("no opening of the probe has come through");
  // Of the probe's openings some may still be on their way.
  await untilIdle(onlooker);
}
