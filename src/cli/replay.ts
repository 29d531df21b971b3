import type { Config } from "../config/config.ts";
import { isLifeSafety } from "../domain/incident-class.ts";
import type { ZoneSignal } from "../domain/zone-signal.ts";
import { stepZone, type StepSignal, type ZoneState } from "../domain/zone-step.ts";
import { resumeZone } from "../domain/zone-resume.ts";
import type { Zone } from "../domain/zone.ts";
import { ZoneTopics } from "../inputs/zone-topics.ts";
import { recordedMessages, type RecordedMessage } from "./message-recording.ts";
import type { Terminal } from "./terminal.ts";

/** What a message would do to a zone. */
interface Outcome {
  readonly zone: string;
  readonly outcome: string;
}

/** Where a recording has no times, its messages are so far apart. */
const APART_MS = 1_000;

/**
 * Runs recorded messages through the configured zones and prints what each would do. Nothing is written anywhere and no
 * daemon is asked. The zones start closed.
 * @throws AppError `no-input` or `bad-data` when the recording cannot be read
 */
export function importCheck(
  config: Config,
  file: string,
  { json }: { json: boolean },
  { stdout, stderr }: Terminal,
): void {
  const messages = recordedMessages(file);
  const replay = new Replay(config.zones, config.site.incidentWindowS * 1000);
  let ignored = 0;
  for (const message of messages) {
    const { outcomes, refused, isKnown, isUnmatched } = replay.take(message);
    if (outcomes.length === 0) ignored += 1;
    const { name, topic } = message;
    const reason = isUnmatched ? " (about none of the zones on this topic)" : "";
    const nothing = isKnown ? `ignore${reason}` : "ignore (no zone listens to this topic)";
    const said = refused === undefined ? nothing : `ignore (${refused})`;
    const text = outcomes.map(({ zone, outcome }) => `${outcome} ${zone}`).join(", ") || said;
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

/** The zones as a recording leaves them. */
class Replay {
  readonly #topics: ZoneTopics;
  readonly #zones: ReadonlyMap<string, Replayed>;
  /** What was last said besides the contact. */
  readonly #said = new Map<string, string>();
  /** When a zone last tripped for what identifies an event. */
  readonly #occasions = new Map<string, number>();
  readonly #incidentWindowMs: number;
  #nowMs: number | undefined;

  constructor(zones: readonly Zone[], incidentWindowMs: number) {
    this.#incidentWindowMs = incidentWindowMs;
    this.#topics = new ZoneTopics(zones);
    const atRest = { contact: "normal", autoRestored: false } as const;
    this.#zones = new Map(
      zones.map((zone) => [
        zone.id,
        {
          zone,
          state: { ...resumeZone(zone.rules, atRest, 0), isResumed: false },
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
    this.#nowMs = Math.max(atMs ?? (this.#nowMs ?? 0) + APART_MS, this.#nowMs ?? 0);
    const nowMs = this.#nowMs;
    const late = this.#wake(nowMs);
    const { signals, refused, isUnmatched } = this.#topics.read(topic, Buffer.from(payload), isRetained);
    const outcomes = signals.flatMap(({ zoneId, signal }) => this.#signalled(zoneId, signal, nowMs));
    return {
      outcomes: [...late, ...outcomes],
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
    if (outcome === undefined || this.#said.get(`${zoneId} ${signal.kind}`) === outcome) return [];
    this.#said.set(`${zoneId} ${signal.kind}`, outcome);
    return [{ zone: zoneId, outcome }];
  }

  #isRepeated({ zone, state }: Replayed, occasion: string | undefined, atMs: number): boolean {
    if (occasion === undefined || state.contact === "open" || isLifeSafety(zone.kind)) return false;
    const trippedAtMs = this.#occasions.get(`${zone.id} ${occasion}`) ?? -Infinity;
    return atMs - trippedAtMs <= this.#incidentWindowMs;
  }

  /** What became due between two messages: a confirmed opening, a zone that closes by itself. */
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
      return signal.open ? "tamper" : "untouched";
    case "battery":
      return signal.low ? "battery low" : "battery well";
    case "availability": {
      const of = signal.bridge === undefined ? "" : " (its bridge)";
      return signal.up ? `available${of}` : `unavailable${of}`;
    }
    case "contact":
    case "sign-of-life":
      return undefined;
  }
}
