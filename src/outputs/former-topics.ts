import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { NewEvent } from "../domain/event.ts";
import type { Log } from "../domain/log.ts";
import type { Output, OutputTopic, OutputTopicStore } from "../domain/output.ts";
import type { OutputDevice } from "./output-device.ts";

interface FormerTopicsOptions {
  readonly store: OutputTopicStore;
  readonly deviceOf: (target: Output["target"]) => OutputDevice;
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
  /** Adds an entry to the event log. */
  readonly record: (event: NewEvent) => void;
}

/** Time after a failure until it is tried again, as for outputs. */
const RETRY_MS = 5_000;
/** A failure of this time is reported: at a start the broker is not connected at once. */
const REPORTED_MS = 10_000;

/**
 * Topics of outputs that the configuration no longer has, and that may still be on: their broker could not be reached when they were
 * removed, or they were removed while the daemon was not running. Each is switched off once the broker has its message. Stored are
 * the topics in use too, only when they change: a switch must not wait for the disk.
 */
export class FormerTopics {
  readonly #options: FormerTopicsOptions;
  /** By topic. */
  readonly #former = new Map<string, OutputTopic>();
  #inUse: readonly OutputTopic[] = [];
  #stored = "[]";
  #failedSinceMs: number | undefined;
  #isChecking = false;
  #isStopped = false;
  #cancel: CancelTimer = () => {};

  constructor(options: FormerTopicsOptions) {
    this.#options = options;
  }

  get isEmpty(): boolean {
    return this.#former.size === 0;
  }

  /** Reads those of earlier runs. @param outputs of the configuration */
  load(outputs: readonly Output[]): void {
    const topics = this.#options.store.load();
    this.#stored = JSON.stringify(topics);
    for (const one of topics) this.#former.set(one.topic, one);
    this.use(outputs, []);
  }

  /**
   * Notes the outputs of a changed configuration.
   * @param left outputs that it no longer has, and that could not be switched off
   */
  use(outputs: readonly Output[], left: readonly Output[]): void {
    for (const one of topicsOf(left)) this.#former.set(one.topic, one);
    this.#inUse = topicsOf(outputs);
    // A topic that an output has again is switched by it.
    for (const { topic } of this.#inUse) this.#forget(topic);
    this.#save();
  }

  /** Switches them off, again until the broker has all messages. Call it also once the broker is connected. */
  async check(): Promise<void> {
    if (this.#isChecking || this.#isStopped) return;
    this.#cancel();
    this.#isChecking = true;
    for (const one of this.#former.values()) await this.#switchOff(one);
    this.#isChecking = false;
    if (this.isEmpty) this.#failedSinceMs = undefined;
    else if (!this.#isStopped) this.#cancel = this.#options.clock.after(RETRY_MS, () => void this.check());
  }

  /** @param left outputs that could not be switched off at the end of the daemon */
  stop(left: readonly Output[]): void {
    this.#isStopped = true;
    this.#cancel();
    this.#inUse = topicsOf(left);
    this.#save();
  }

  async #switchOff(one: OutputTopic): Promise<void> {
    const { deviceOf, record } = this.#options;
    const { name, reason, topic, off } = one;
    try {
      await deviceOf({ by: "mqtt", topic, on: off, off }).stop();
    } catch (error) {
      this.#report(one, messageOf(error));
      return;
    }
    // An output of a changed configuration may have the topic by now.
    if (this.#isStopped || this.#former.get(topic) !== one) return;
    this.#forget(topic);
    this.#save();
    record({
      event: "output-switched",
      who: "santinela",
      from: "itself",
      subject: `output ${name}`,
      detail: { state: "off", reason },
    });
  }

  #report({ name, topic }: OutputTopic, problem: string): void {
    const { clock, conditions } = this.#options;
    const nowMs = clock.monotonicMs();
    this.#failedSinceMs ??= nowMs;
    if (nowMs - this.#failedSinceMs < REPORTED_MS || !this.#former.has(topic) || this.#isStopped) return;
    const reason = `it is no longer in the configuration, and may still be on (${problem})`;
    conditions.raise("output-failed", { output: name, reason }, subjectOf(topic));
  }

  #forget(topic: string): void {
    if (this.#former.delete(topic)) this.#options.conditions.clear("output-failed", subjectOf(topic));
  }

  /** If the disk does not accept it, only those of this run are known. */
  #save(): void {
    const { store, log } = this.#options;
    const topics = [...this.#inUse, ...this.#former.values()];
    const text = JSON.stringify(topics);
    if (text === this.#stored) return;
    try {
      store.save(topics);
      this.#stored = text;
    } catch (error) {
      log.warn("output-topics-save-failed", { reason: messageOf(error) });
    }
  }
}

/** An output that has the name of a former one has a condition of its own. */
function subjectOf(topic: string): string {
  return `topic ${topic}`;
}

function topicsOf(outputs: readonly Output[]): OutputTopic[] {
  return outputs.flatMap(({ name, reason, target }) =>
    target.by === "mqtt" ? [{ name, reason, topic: target.topic, off: target.off }] : [],
  );
}
