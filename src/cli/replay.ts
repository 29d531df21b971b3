import { readBounded } from "../config/bounded-file.ts";
import type { Config } from "../config/config.ts";
import { AppError, messageOf } from "../domain/errors.ts";
import { isLifeSafety } from "../domain/incident.ts";
import { stepZone, type StepSignal, type ZoneState } from "../domain/zone-step.ts";
import { resumeZone } from "../inputs/zone-state-persistence.ts";
import type { Zone, ZoneSignal } from "../domain/zone.ts";
import { ZoneTopics } from "../inputs/zone-topics.ts";
import type { JsonOption } from "./command-group.ts";
import type { Terminal } from "./terminal.ts";

/** One message of a recording. */
interface RecordedMessage {
  /** Id in the recording; default: its line number. */
  readonly name: string;
  readonly topic: string;
  readonly payload: string;
  readonly isRetained: boolean;
  /** Milliseconds since 1970; undefined if the recording has no timestamp. */
  readonly atMs: number | undefined;
}

/** Effect of a message on a zone. */
interface Outcome {
  readonly zone: string;
  readonly outcome: string;
}

/** Assumed time between messages of a recording without timestamps. */
const MESSAGE_INTERVAL_MS = 1_000;

/**
 * Runs recorded messages through the configured zones and prints the effect of each. It stores nothing and does not use
 * the daemon. All zones start normal.
 * @throws AppError `no-input` or `bad-data` if the recording cannot be read
 */
export function replay(
  config: Config,
  { stdout, stderr }: Terminal,
  { json }: JsonOption,
  file: string,
): void {
  const messages = recordedMessages(file);
  const zones = new ReplayedZones(config.zones, config.site.incidentWindowS * 1000);
  let ignored = 0;
  for (const message of messages) {
    const { outcomes, refused, isKnown, isUnmatched } = zones.take(message);
    if (outcomes.length === 0) ignored += 1;
    const { name, topic } = message;
    const reason = isUnmatched ? " (matches no zone on this topic)" : "";
    const nothing = isKnown ? `ignore${reason}` : "ignore (no zone uses this topic)";
    const ignoredText = refused === undefined ? nothing : `ignore (${refused})`;
    const text = outcomes.map(({ zone, outcome }) => `${outcome} ${zone}`).join(", ") || ignoredText;
    stdout.write(
      json
        ? `${JSON.stringify({ message: name, topic, outcomes, ...(refused === undefined ? {} : { refused }) })}\n`
        : `${name} ${topic}: ${text}\n`,
    );
  }
  stderr.write(`${messages.length} messages, ${ignored} of them ignored\n`);
}

interface Replayed {
  readonly zone: Zone;
  state: ZoneState;
  wakeAtMs: number | undefined;
}

/** The zones with their state after the messages so far. */
class ReplayedZones {
  readonly #topics: ZoneTopics;
  readonly #zones: ReadonlyMap<string, Replayed>;
  /** Last reported status of each kind. */
  readonly #statuses = new Map<string, string>();
  /** Time of a zone's last trip for an event id, in milliseconds. */
  readonly #occasions = new Map<string, number>();
  readonly #incidentWindowMs: number;
  #nowMs: number | undefined;

  constructor(zones: readonly Zone[], incidentWindowMs: number) {
    this.#incidentWindowMs = incidentWindowMs;
    this.#topics = new ZoneTopics(zones);
    const initial = { contact: "normal", autoRestored: false } as const;
    this.#zones = new Map(
      zones.map((zone) => [
        zone.id,
        {
          zone,
          state: { ...resumeZone(zone.rules, initial, 0), isResumed: false },
          wakeAtMs: undefined,
        },
      ]),
    );
  }

  take({ topic, payload, isRetained, atMs }: RecordedMessage): {
    outcomes: Outcome[];
    refused: string | undefined;
    isKnown: boolean;
    isUnmatched: boolean;
  } {
    this.#nowMs = Math.max(atMs ?? (this.#nowMs ?? 0) + MESSAGE_INTERVAL_MS, this.#nowMs ?? 0);
    const nowMs = this.#nowMs;
    const due = this.#wake(nowMs);
    const { signals, refused, isUnmatched } = this.#topics.read(topic, Buffer.from(payload), { isRetained });
    const outcomes = signals.flatMap(({ zoneId, signal }) => this.#signalled(zoneId, signal, nowMs));
    return {
      outcomes: [...due, ...outcomes],
      refused,
      isKnown: this.#topics.isUsed(topic),
      isUnmatched,
    };
  }

  #signalled(zoneId: string, signal: ZoneSignal, atMs: number): Outcome[] {
    const replayed = this.#zones.get(zoneId);
    if (!replayed) return [];
    if (signal.kind === "contact") {
      const { contact, live, occasion } = signal;
      if (this.#isRepeated(replayed, occasion, atMs)) return [{ zone: zoneId, outcome: "repeated opening" }];
      const outcomes = this.#step(replayed, { type: "reading", contact, live, atMs });
      const hasTripped = outcomes.some(({ outcome }) => outcome === "trip");
      if (occasion !== undefined && hasTripped) this.#occasions.set(`${zoneId} ${occasion}`, atMs);
      return outcomes;
    }
    const outcome = statusText(signal);
    if (outcome === undefined || this.#statuses.get(`${zoneId} ${signal.kind}`) === outcome) return [];
    this.#statuses.set(`${zoneId} ${signal.kind}`, outcome);
    return [{ zone: zoneId, outcome }];
  }

  #isRepeated({ zone, state }: Replayed, occasion: string | undefined, atMs: number): boolean {
    if (occasion === undefined || state.contact === "open" || isLifeSafety(zone.kind)) return false;
    const trippedAtMs = this.#occasions.get(`${zone.id} ${occasion}`) ?? -Infinity;
    return atMs - trippedAtMs <= this.#incidentWindowMs;
  }

  /** Timers that became due between two messages: a confirmed opening, an automatic restore. */
  #wake(untilMs: number): Outcome[] {
    return [...this.#zones.values()].flatMap((replayed) => {
      const outcomes: Outcome[] = [];
      for (let atMs = replayed.wakeAtMs; atMs !== undefined && atMs <= untilMs; atMs = replayed.wakeAtMs)
        outcomes.push(...this.#step(replayed, { type: "wake", atMs }));
      return outcomes;
    });
  }

  #step(replayed: Replayed, signal: StepSignal): Outcome[] {
    const { zone, state } = replayed;
    const step = stepZone(zone.rules, state, signal);
    replayed.state = step.state;
    replayed.wakeAtMs = step.wakeAtMs;
    return step.events.map(({ type }) => ({ zone: zone.id, outcome: type }));
  }
}

function statusText(signal: ZoneSignal): string | undefined {
  switch (signal.kind) {
    case "tamper":
      return signal.open ? "tamper" : "tamper restored";
    case "battery":
      return signal.low ? "battery low" : "battery ok";
    case "availability": {
      const of = signal.bridge === undefined ? "" : " (its bridge)";
      return signal.up ? `available${of}` : `unavailable${of}`;
    }
    case "contact":
    case "listing":
    case "sign-of-life":
      return undefined;
  }
}

/** Enough for a day of a large site. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Reads a recording in the format of `mosquitto_sub -F %j`: one JSON object per line with `topic`, `payload` and optional
 * `retain`, `tst` and `id`.
 * @throws AppError `no-input` if the file cannot be read, `bad-data` with the first invalid line
 */
function recordedMessages(file: string): RecordedMessage[] {
  let text: string;
  try {
    text = readBounded(file, FILE_BYTES_MAX);
  } catch (cause) {
    throw new AppError("no-input", `cannot read ${file}: ${messageOf(cause)}`, { cause });
  }
  return text
    .split("\n")
    .flatMap((line, index) => (line.trim() === "" ? [] : [messageIn(line, `${file}:${index + 1}`)]));
}

function messageIn(line: string, place: string): RecordedMessage {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (cause) {
    throw new AppError("bad-data", `${place}: not valid JSON`, { hint: RECORD_HINT, cause });
  }
  const { topic, payload, retain, tst, id } = (value ?? {}) as Record<string, unknown>;
  if (typeof topic !== "string")
    throw new AppError("bad-data", `${place}: topic is missing`, { hint: RECORD_HINT });
  // mosquitto_sub writes the offset after a Z: 2026-11-20T10:00:00.123456Z+0200.
  const atMs = typeof tst === "string" ? Date.parse(tst.replace(/Z(?=[+-]\d{4}$)/, "")) : NaN;
  return {
    name: typeof id === "string" ? id : place.slice(place.lastIndexOf(":") + 1),
    topic,
    // mosquitto_sub prints a JSON payload as JSON, not as a string.
    payload: typeof payload === "string" ? payload : payload === undefined ? "" : JSON.stringify(payload),
    isRetained: retain === true || retain === 1,
    atMs: Number.isNaN(atMs) ? undefined : atMs,
  };
}

const RECORD_HINT = "Record with: mosquitto_sub -h <broker> -t '#' -F %j > recording.jsonl";
