import { rmSync } from "node:fs";
import { join } from "node:path";
import type { OutputTopic, OutputTopicStore } from "../domain/output.ts";
import { readJson, writeDurably } from "../store/durable-files.ts";

const FILE = "output-topics.json";

/** The topics of outputs that may be on at a broker, also of an earlier run. */
export class OutputTopicsFile implements OutputTopicStore {
  readonly #file: string;
  readonly #broker: string;

  /** @param broker name of the broker of the configuration */
  constructor(dataDir: string, broker: string) {
    this.#file = join(dataDir, FILE);
    this.#broker = broker;
  }

  /** @returns none of another broker, and none if the file is damaged: a topic that is not known stays as it is */
  load(): readonly OutputTopic[] {
    const { broker, topics } = (readJson(this.#file) ?? {}) as { broker?: unknown; topics?: unknown };
    return broker === this.#broker && Array.isArray(topics) ? topics.filter(isOutputTopic) : [];
  }

  /** @throws the error of the file system */
  save(topics: readonly OutputTopic[]): void {
    if (topics.length === 0) rmSync(this.#file, { force: true });
    else writeDurably(this.#file, `${JSON.stringify({ broker: this.#broker, topics })}\n`);
  }
}

function isOutputTopic(value: unknown): value is OutputTopic {
  const { name, reason, topic, off } = (value ?? {}) as Partial<OutputTopic>;
  const isKnown = reason === "alarm" || reason === "link-lost" || reason === "not-ready";
  return isKnown && [name, topic, off].every((text) => typeof text === "string");
}
