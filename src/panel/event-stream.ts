/** One message of a server-sent stream. */
export interface StreamMessage {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/** Reads a server-sent stream as far as the daemon speaks it (HTML standard, 9.2.6): comments, event, id, data. */
export class EventStreamParser {
  #rest = "";
  /** The last id, which the next connection names to learn what was missed. */
  lastId = "";

  /** Takes the next piece, cut wherever it may be. @returns the messages that it completes */
  take(piece: string): StreamMessage[] {
    const blocks = (this.#rest + piece).split("\n\n");
    this.#rest = blocks.pop() ?? "";
    return blocks.map((block) => this.#messageOf(block)).filter(({ data }) => data !== "");
  }

  #messageOf(block: string): StreamMessage {
    let event = "message";
    const data: string[] = [];
    for (const line of block.split("\n")) {
      const [, name, value = ""] = /^(\w+): ?(.*)$/.exec(line) ?? [];
      if (name === "event") event = value;
      else if (name === "id") this.lastId = value;
      else if (name === "data") data.push(value);
    }
    return { event, id: this.lastId, data: data.join("\n") };
  }
}
