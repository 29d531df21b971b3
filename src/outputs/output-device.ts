import type { OutputTarget } from "../domain/output.ts";
import type { LineDriver } from "../inputs/gpio/line-driver.ts";
import { AppError, messageOf } from "../domain/errors.ts";

/** What an output drives: a line or a topic. */
export interface OutputDevice {
  /** Called when it has lost the state that it had, such as with the process that drives its line. */
  onLost: () => void;
  /**
   * Switches it.
   * @throws AppError `unavailable` with the reason and the remedy
   */
  set(isOn: boolean): Promise<void>;
  /** Releases it, switched off where that is still possible. */
  stop(): Promise<void>;
}

/**
 * Opens the lines of a chip by its name in `gpio.chips`; undefined is the chip of `gpio.chip`.
 * @param onEnd as of `openDriver`
 */
type OpenDriver = (chip: string | undefined, onEnd: () => void) => Promise<LineDriver>;

/** A GPIO line; its chip is opened at the first switch, and again after a failure. */
export class LineOutput implements OutputDevice {
  onLost = (): void => {};
  readonly #target: Extract<OutputTarget, { by: "gpio" }>;
  readonly #open: OpenDriver;
  #driver: LineDriver | undefined;
  /** Whether it was switched on since it was certainly off: a chip may keep the level when its driver ends. */
  #mayBeOn = false;

  constructor(target: Extract<OutputTarget, { by: "gpio" }>, open: OpenDriver) {
    this.#target = target;
    this.#open = open;
  }

  async set(isOn: boolean): Promise<void> {
    const { chip, gpio, active } = this.#target;
    const driver = (this.#driver ??= await this.#open(chip, () => {
      this.#driver = undefined;
      this.onLost();
    }));
    this.#mayBeOn ||= isOn;
    try {
      await driver.set(gpio, isOn ? active : active === 1 ? 0 : 1);
      this.#mayBeOn = isOn;
    } catch (error) {
      this.#driver = undefined;
      driver.close();
      throw error;
    }
  }

  async stop(): Promise<void> {
    if (!this.#driver && !this.#mayBeOn) return;
    await this.set(false);
    this.#driver?.close();
  }
}

/** Publishes retained messages at the broker of the zones. */
interface TopicPublisher {
  /** Resolves once the broker has the message. @param limit until when it is tried. @throws Error without a connection */
  deliver(topic: string, payload: string, limit: AbortSignal): Promise<void>;
}

/** A broker that has not acknowledged a message after this time does not work; the connection is tested more slowly. */
const ANSWER_MS_MAX = 5_000;

/** A topic whose retained message is the state of the output. */
export class TopicOutput implements OutputDevice {
  /** Never called: its broker connects again. */
  onLost = (): void => {};
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
        new Promise((_resolve, reject) => {
          const late = (): void => reject(new Error(`no response within ${ANSWER_MS_MAX / 1000} s`));
          limit.addEventListener("abort", late, { once: true });
        }),
        this.#publisher.deliver(topic, isOn ? on : off, limit),
      ]);
    } catch (cause) {
      throw new AppError("unavailable", `topic ${topic}: ${messageOf(cause)}`, { cause });
    }
  }

  stop(): Promise<void> {
    return this.set(false);
  }
}
