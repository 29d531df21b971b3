import type { Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import type { Zone } from "../domain/zone.ts";
import type { Broker } from "./broker.ts";
import type { AnnouncedDeviceStore } from "../domain/announced-device.ts";
import { HomeAssistantRemoval } from "./home-assistant-removal.ts";
import { HomeAssistant, type HomeAssistantOptions } from "./home-assistant.ts";
import type { MqttSource } from "./mqtt-source.ts";
import { publisherAt } from "./retained-publisher.ts";

export interface ShownOptions {
  readonly announced: AnnouncedDeviceStore;
  /** What is shown; undefined turns it off, and removes what an earlier run has shown. */
  readonly shown:
    | Pick<HomeAssistantOptions, "site" | "prefix" | "version" | "panelUrl" | "readState">
    | undefined;
}

interface ShownParts {
  readonly zones: readonly Zone[];
  readonly mqtt: MqttSource;
  readonly clock: Clock;
  readonly log: Log;
}

/** Shows the installation in Home Assistant, or removes it there; undefined without a broker or with nothing to do. */
export function shownAt(
  { announced, shown }: ShownOptions,
  builtIn: Broker | undefined,
  { zones, clock, ...parts }: ShownParts,
): HomeAssistant | HomeAssistantRemoval | undefined {
  const device = shown ? undefined : announced.load();
  if (!shown && !device) return undefined;
  const publisher = publisherAt(builtIn, parts, "shown");
  if (!publisher) return undefined;
  const common = { announced, publisher, clock, log: parts.log };
  if (device) return new HomeAssistantRemoval({ ...common, device });
  return shown && new HomeAssistant({ ...common, ...shown, zones });
}
