import { isoTime } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { Scalar } from "../domain/plain-value.ts";
import { loopInputOf, type LoopInput } from "../domain/loop.ts";
import { matchesFilter } from "../domain/topic-filter.ts";
import type { Contact } from "../domain/zone.ts";
import { validateAdcInput, validateGpioInput, validateMqttInput } from "../generated/input-validators.js";
import type { MqttInput } from "../generated/types.ts";
import type { ReceivedMessage } from "../inputs/discovery-session.ts";
import { MessageContent } from "../inputs/message-content.ts";
import { contactOf, valueAt } from "../inputs/message-values.ts";
import type { TrialReadingView } from "./discovery-view.ts";

/** What a user sees of a trial; older readings are dropped. */
const READINGS_MAX = 20;
/** Of a payload in a reading, as of the last messages of discovery. */
const PAYLOAD_LENGTH_MAX = 2_000;
const VALUE_LENGTH_MAX = 200;

/** The input of a zone that does not exist yet. */
export type TrialInput =
  | ({ readonly source: "mqtt" } & MqttInput)
  | {
      readonly source: "gpio";
      readonly gpio: number;
      readonly chip?: string;
      readonly contact: "nc" | "no";
    }
  | ({ readonly source: "adc" } & LoopInput);

/**
 * Reads the messages of one input as its zone would, without a zone: nothing trips and nothing is dispatched. It begins with
 * the last known message.
 */
export class SensorTrial {
  readonly #input: MqttInput;
  #readings: readonly TrialReadingView[] = [];

  constructor(input: MqttInput) {
    this.#input = input;
  }

  /** The newest readings, the oldest first. */
  get readings(): readonly TrialReadingView[] {
    return this.#readings;
  }

  /**
   * Reads a message; one on another topic, or that does not meet the conditions, is ignored.
   * @param isEarlier whether it arrived before the trial
   */
  take({ topic, payload, isRetained, atMs }: ReceivedMessage, isEarlier = false): void {
    const { mqtt, path, where } = this.#input;
    if (!matchesFilter(topic, mqtt)) return;
    const content = MessageContent.of(payload);
    if ("refused" in content) return;
    const rule = { ...(path === undefined ? {} : { path }), ...(where ? { where } : {}) };
    const views = content.viewsFor(rule);
    if ("refused" in views) return;
    const message = {
      topic,
      payload: content.text.slice(0, PAYLOAD_LENGTH_MAX),
      at: isoTime(atMs),
      isRetained,
    };
    const added = views.map((view): TrialReadingView => {
      const value = valueAt(view, this.#input);
      return {
        contact: contactOf(this.#input, value),
        value: shortened(value),
        message,
        at: message.at,
        isEarlier: isEarlier || isRetained,
      };
    });
    this.#readings = [...this.#readings, ...added].slice(-READINGS_MAX);
  }
}

/** The reading of a GPIO line. @param atMs wall clock, milliseconds since 1970 */
export function lineReading(contact: Contact, level: 0 | 1, atMs: number): TrialReadingView {
  return { contact, value: level, message: null, at: isoTime(atMs), isEarlier: false };
}

/** The input of a request. @throws AppError `invalid` if it is not one that can be tried out */
export function trialInputOf(input: unknown): TrialInput {
  if (validateAdcInput(input)) return { source: "adc", ...loopInputOf(input) };
  if (validateGpioInput(input)) {
    const { gpio, chip, contact = "nc" } = input;
    return { source: "gpio", gpio, ...(chip === undefined ? {} : { chip }), contact };
  }
  if (validateMqttInput(input)) {
    const { dedupe: _dedupe, ...rule } = input;
    return { source: "mqtt", ...rule };
  }
  throw new AppError(
    "invalid",
    'input must be {"mqtt", "path", "bits", "where", "open", "normal"} or {"gpio", "chip", "contact"} or {"adc", "channel", "eol"}, as in the configuration',
  );
}

function shortened(value: Scalar | undefined): Scalar | null {
  if (value === undefined) return null;
  return typeof value === "string" ? value.slice(0, VALUE_LENGTH_MAX) : value;
}
