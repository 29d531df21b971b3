import { setImmediate as nextTurn, setTimeout as delay } from "node:timers/promises";
import type { MqttClient } from "mqtt";
import { messageOf, topicOf } from "../contenders/sensors.ts";

/** A single opening that has not become a record by then never will. */
const LOST_MS = 30_000;

/**
 * Opens one sensor after the other.
 * @param newest changes with the record of a sensor's opening
 * @param pauseMs between a record and the next opening
 * @returns milliseconds from each publish to the committed record
 * @throws Error when an opening was no record within half a minute
 */
export async function tripTimes(
  sensors: MqttClient,
  numbers: readonly number[],
  newest: (sensor: number) => number,
  pauseMs = 0,
): Promise<number[]> {
  const times: number[] = [];
  for (const sensor of numbers) {
    const before = newest(sensor);
    const startMs = performance.now();
    sensors.publish(topicOf(sensor), messageOf("open"), { qos: 1 });
    while (newest(sensor) === before) {
      if (performance.now() - startMs > LOST_MS)
        throw new Error(`an opening was no record after ${LOST_MS} ms`);
      await nextTurn();
      rest();
    }
    times.push(performance.now() - startMs);
    if (pauseMs > 0) await delay(pauseMs);
  }
  return times;
}

const RESTING = new Int32Array(new SharedArrayBuffer(4));
const REST_MS = 0.2;

/** Shorter than any timer, and unlike a busy wait it leaves the processor to those that are measured. */
function rest(): void {
  Atomics.wait(RESTING, 0, 0, REST_MS);
}
