import { readFileSync } from "node:fs";
import { contactIdEvent } from "../../src/inputs/dc09/contact-id.ts";
import { FrameReader } from "../../src/dc09/frame-reader.ts";
import { encryptedContent, messageHead, plainContent } from "../../src/dc09/message.ts";
import { siaEvents } from "../../src/inputs/dc09/sia-events.ts";
import { seededRandom } from "./seeded-random.ts";

/** A frame as captured at a panel or published as a test, with what it means. */
export interface FrameSample {
  readonly id: string;
  readonly wire_text?: string;
  readonly wire_hex?: string;
  readonly trailing_after_cr?: string;
  readonly body?: string;
  readonly key_hex?: string;
  readonly crc_ok?: boolean;
  readonly length_ok?: boolean;
  readonly crc_plus_cr_ok?: boolean;
  readonly length_plus_cr_ok?: boolean;
  readonly expected: Readonly<Record<string, unknown>>;
  readonly expected_reply?: string;
}

/** Frames of real panels and of published tests. */
export const FRAME_SAMPLES = readFileSync(new URL("../inputs/dc09/frames.jsonl", import.meta.url), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line) as FrameSample);

/** Those with bytes. */
export const FRAMES = FRAME_SAMPLES.filter(
  ({ wire_text, wire_hex }) => wire_text !== undefined || wire_hex !== undefined,
);

/** A sample as it is on the wire. */
export function bytesOf({ wire_text = "", wire_hex, trailing_after_cr = "" }: FrameSample): Buffer {
  if (wire_hex !== undefined) return Buffer.from(wire_hex, "hex");
  return Buffer.concat([Buffer.from(`\n${wire_text}\r`, "latin1"), Buffer.from(trailing_after_cr, "hex")]);
}

/** Changes random bytes of random frames, cuts them anywhere, and reads them. Throws only if a reader does. */
export function readChangedFrames(count: number, seed: number): void {
  const frames = FRAMES.map(bytesOf);
  const random = seededRandom(seed);
  const key = Buffer.alloc(32, 7);
  const reader = new FrameReader();
  for (let run = 0; run < count; run += 1) {
    const frame = Buffer.from(frames[Math.floor(random() * frames.length)] ?? Buffer.alloc(0));
    for (let change = 0; change < Math.floor(random() * 4); change += 1)
      frame[Math.floor(random() * frame.length)] = Math.floor(random() * 256);
    const cut = Math.floor(random() * (frame.length + 1));
    for (const read of [...reader.push(frame.subarray(0, cut)), ...reader.push(frame.subarray(cut))]) {
      if ("refusal" in read) continue;
      const head = messageHead(read.body);
      const content = head && (head.isEncrypted ? encryptedContent(head, key) : plainContent(head));
      if (content) readData(content.data);
    }
    readData(frame.toString("latin1"));
  }
}

function readData(data: string): void {
  contactIdEvent(data);
  siaEvents(data);
}
