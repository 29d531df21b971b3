import type { ZoneView } from "../site/zone-view.ts";

/** One server-sent event. */
export interface StreamMessage {
  readonly event: string;
  readonly id: string;
  readonly data: string;
}

/** Parses the part of an event stream that the daemon uses (HTML Standard, 9.2.6): comments, event, id, data. */
export class EventStreamParser {
  #rest = "";
  /** The last id, sent as Last-Event-ID by the next connection to receive missed messages. */
  lastId = "";

  /** Parses the next chunk, cut at any byte. @returns the messages completed by it */
  take(chunk: string): StreamMessage[] {
    const blocks = (this.#rest + chunk).split("\n\n");
    this.#rest = blocks.pop() ?? "";
    return blocks.map((block) => this.#parse(block)).filter(({ data }) => data !== "");
  }

  #parse(block: string): StreamMessage {
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

/** The zones after a message, which may be about something else. @param isFirst whether it is the first about zones: it has all */
export function zonesAfter(
  zones: readonly ZoneView[],
  { event, data }: Pick<StreamMessage, "event" | "data">,
  isFirst: boolean,
): readonly ZoneView[] {
  if (event === "zone-list")
    return (JSON.parse(data) as string[]).flatMap((id) => zones.find((zone) => zone.id === id) ?? []);
  if (event !== "zones") return zones;
  const updated = JSON.parse(data) as ZoneView[];
  return isFirst ? updated : [...new Map([...zones, ...updated].map((zone) => [zone.id, zone])).values()];
}
