import type { CancelTimer, Clock } from "../domain/clock.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { Zone } from "../domain/zone.ts";
import type { RetainedPublisher } from "./retained-publisher.ts";
import { topicsOf, type AnnouncedDevice, type AnnouncedDeviceStore } from "../domain/announced-device.ts";

interface HomeAssistantRemovalOptions {
  readonly device: AnnouncedDevice;
  readonly announced: AnnouncedDeviceStore;
  readonly publisher: RetainedPublisher;
  readonly clock: Clock;
  readonly log: Log;
}

/** Time until Home Assistant is connected to the built-in broker again, which has started with the daemon. */
const AGAIN_MS = 60_000;

/** Removes the device from Home Assistant once it is no longer to be shown there. */
export class HomeAssistantRemoval {
  readonly #options: HomeAssistantRemovalOptions;
  #cancel: CancelTimer = () => {};

  constructor(options: HomeAssistantRemovalOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    await this.#options.publisher.start(() => {
      this.#remove();
      this.#cancel();
      this.#cancel = this.#options.clock.after(AGAIN_MS, () => this.#end());
    }, undefined);
  }

  /** The device has no zones to exchange. */
  exchange(_zones: readonly Zone[]): void {}

  async stop(): Promise<void> {
    this.#cancel();
    await this.#options.publisher.stop();
  }

  #remove(): void {
    const { device, publisher } = this.#options;
    for (const topic of topicsOf(device)) publisher.publish(topic, "");
  }

  #end(): void {
    this.#remove();
    try {
      this.#options.announced.forget();
    } catch (error) {
      this.#options.log.warn("home-assistant-save-failed", { reason: messageOf(error) });
    }
  }
}
