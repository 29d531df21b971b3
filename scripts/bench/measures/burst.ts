import { setTimeout as delay } from "node:timers/promises";
import type { MqttClient } from "mqtt";
import type { Running } from "../contenders/contender.ts";
import { messageOf, SENSORS, sensorNumbers, topicOf } from "../contenders/sensors.ts";
import type { Ground } from "../plan.ts";
import type { CommitCounter } from "./commit-counter.ts";

/** Maximum duration of a burst. */
const BURST_MS_MAX = 15 * 60_000;
/** A burst ends after this time without a commit. */
const QUIET_MS = 1_000;
const QUIET_MS_MAX = 30_000;

/** The result of a burst. */
export interface Burst {
  /** Openings that never came through. */
  readonly lost: number;
  readonly perSecond: number;
  /** Memory at its most, in MB. */
  readonly peakMb: number;
}

/**
 * Has all sensors close and open in turn, as fast as the broker takes it.
 * @param messages a multiple of twice the number of sensors
 */
export async function burst(
  { scale, signal }: Pick<Ground, "scale" | "signal">,
  messages: number,
  { child }: Running,
  sensors: MqttClient,
  onlooker: CommitCounter,
): Promise<Burst> {
  // What came before may be recorded and not yet marked as through.
  await untilIdle(onlooker);
  const before = onlooker.openings();
  const expected = messages / 2;
  child.forgetPeak();
  const startMs = performance.now();
  const publishing = publishBurst(sensors, messages);
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
  const perSecond = through === 0 ? 0 : (through * 2) / ((throughMs - startMs) / 1000);
  return { lost: expected - through, perSecond, peakMb: child.peakMb };
}

/** Waits until there are no further commits. */
export async function untilIdle(onlooker: CommitCounter): Promise<void> {
  let commits = -1;
  await untilOr(QUIET_MS_MAX, () => commits === (commits = onlooker.commits()), QUIET_MS);
}

/** Polls, at most for `withinMs`. */
export async function untilOr(withinMs: number, look: () => boolean, everyMs = 20): Promise<void> {
  const end = performance.now() + withinMs;
  while (!look() && performance.now() < end) await delay(everyMs);
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
