import { join } from "node:path";
import { rmSync } from "node:fs";
import type { AnnouncedDevice } from "../domain/announced-device.ts";
import { readJson, writeDurably } from "../store/durable-files.ts";

const FILE = "home-assistant.json";

/** The device that was announced to Home Assistant last, also by an earlier run. */
export class AnnouncedDeviceFile {
  readonly #file: string;

  constructor(dataDir: string) {
    this.#file = join(dataDir, FILE);
  }

  /** @returns undefined if there is none, or if the file is damaged */
  load(): AnnouncedDevice | undefined {
    const { topic, entities, others } = (readJson(this.#file) ?? {}) as Partial<AnnouncedDevice>;
    const isTopics = (value: unknown): boolean =>
      Array.isArray(value) && value.every((one) => typeof one === "string");
    const areKnown = Array.isArray(entities) && entities.every((one) => isTopics(one) && one.length === 2);
    if (typeof topic !== "string" || !areKnown || !others || !isTopics(others)) return undefined;
    return { topic, entities, others };
  }

  /** @throws the error of the file system */
  save(device: AnnouncedDevice): void {
    writeDurably(this.#file, `${JSON.stringify(device)}\n`);
  }

  /** @throws the error of the file system */
  forget(): void {
    rmSync(this.#file, { force: true });
  }
}
