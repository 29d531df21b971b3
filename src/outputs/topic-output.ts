import { AppError, messageOf } from "../domain/errors.ts";
import type { OutputTarget } from "../domain/output.ts";
import type { OutputDevice } from "./output-device.ts";

/** Publishes retained messages at the broker of the zones. */
export interface TopicPublisher {
  /** Resolves once the broker has the message. @throws Error without a connection */
  deliver(topic: string, payload: string): Promise<void>;
}

/** A broker that has not acknowledged a message after this time does not work; the connection is tested more slowly. */
const ANSWER_MS_MAX = 5_000;

/** A topic whose retained message is the state of the output. */
export class TopicOutput implements OutputDevice {
  readonly #target: Extract<OutputTarget, { by: "mqtt" }>;
  readonly #publisher: TopicPublisher;

  constructor(target: Extract<OutputTarget, { by: "mqtt" }>, publisher: TopicPublisher) {
    this.#target = target;
    this.#publisher = publisher;
  }

  async set(isOn: boolean): Promise<void> {
    const { topic, on, off } = this.#target;
    const limit = AbortSignal.timeout(ANSWER_MS_MAX);
    try {
      await Promise.race([
        this.#publisher.deliver(topic, isOn ? on : off),
        new Promise((_resolve, reject) => {
          const late = (): void => reject(new Error(`no answer within ${ANSWER_MS_MAX / 1000} s`));
          limit.addEventListener("abort", late, { once: true });
        }),
      ]);
    } catch (cause) {
      throw new AppError("unavailable", `topic ${topic}: ${messageOf(cause)}`, { cause });
    }
  }

  stop(): Promise<void> {
    return this.set(false);
  }
}
