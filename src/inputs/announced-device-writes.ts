import type { AnnouncedDevice, AnnouncedDeviceStore } from "../domain/announced-device.ts";
import type { Clock } from "../domain/clock.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";

interface AnnouncedDeviceWritesParts {
  readonly announced: AnnouncedDeviceStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** A write to a failing disk may take seconds, and readings wait for it. */
const RETRY_MS = 60_000;

/** Stores the announced device when it has changed, and again after a failure, such as a full disk. */
export class AnnouncedDeviceWrites {
  readonly #parts: AnnouncedDeviceWritesParts;
  #stored = "";
  /** What could not be stored yet. */
  #unstored: AnnouncedDevice | undefined;
  #retryAtMs = 0;

  constructor({ announced, clock, log }: AnnouncedDeviceWritesParts) {
    this.#parts = { announced, clock, log };
  }

  save(device: AnnouncedDevice): void {
    const { announced, clock, log } = this.#parts;
    const text = JSON.stringify(device);
    const isFirstFailure = this.#unstored === undefined;
    this.#unstored = undefined;
    if (text === this.#stored) return;
    try {
      announced.save(device);
      this.#stored = text;
    } catch (error) {
      this.#unstored = device;
      this.#retryAtMs = clock.monotonicMs() + RETRY_MS;
      // One for all attempts.
      if (isFirstFailure) log.warn("home-assistant-save-failed", { reason: messageOf(error) });
    }
  }

  /** Repeats a save that has failed, once a minute. Call it regularly. */
  retry(): void {
    if (this.#unstored && this.#parts.clock.monotonicMs() >= this.#retryAtMs) this.save(this.#unstored);
  }
}
