import { isUtf8 } from "node:buffer";
import type { Client } from "aedes";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import type { BrokerZones } from "./broker.ts";

interface Counting {
  readonly zones: Pick<BrokerZones, "counts">;
  readonly log: Log;
}

/** The parser of a client's packets, as far as it is used here; the types of aedes leave it out. */
interface PacketParser {
  /** The bytes of the packet. */
  readonly _list: { slice(from: number, to: number): Uint8Array };
  readonly _pos: number;
  /** The next text of the packet, which begins with its length; null ends the connection. */
  _parseString(): string | null;
}

/** Bytes of the length before a text (MQTT 3.1.1, 1.5.3). */
const LENGTH_BYTES = 2;
/** In place of what is not UTF-8. */
const REPLACEMENT = "\uFFFD";

/**
 * Ends the connection of a client at a topic, filter or name that is not UTF-8 or has the character U+0000, as MQTT 3.1.1 requires (1.5.3). The parser would
 * decode it: different topics would then be the same. The text is counted as a message that cannot be read.
 */
export function requireUtf8(client: Client, counting: Counting): void {
  const { _parser: parser } = client as unknown as { readonly _parser: PacketParser };
  const parse = parser._parseString.bind(parser);
  parser._parseString = () => {
    const from = parser._pos + LENGTH_BYTES;
    const text = parse();
    if (text === null) return null;
    // A client may also have sent that sign itself.
    const isText = !text.includes(REPLACEMENT) || isUtf8(parser._list.slice(from, parser._pos));
    if (isText && !text.includes("\0")) return text;
    void count(text, counting);
    return null;
  };
}

async function count(text: string, { zones, log }: Counting): Promise<void> {
  try {
    await zones.counts.note(text, "not-utf8", Buffer.byteLength(text));
  } catch (error) {
    log.debug("mqtt-count-failed", { reason: messageOf(error) });
  }
}
