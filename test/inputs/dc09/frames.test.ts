import { describe, expect, test } from "vitest";
import { contactIdEvent } from "../../../src/inputs/dc09/contact-id.ts";
import { FrameReader, frameOf, STANDARD, type FrameRead } from "../../../src/dc09/frame-reader.ts";
import { encryptedContent, messageHead, plainContent } from "../../../src/dc09/message.ts";
import { ack, duh, nak } from "../../../src/dc09/reply.ts";
import { siaEvents } from "../../../src/inputs/dc09/sia-events.ts";
import {
  bytesOf,
  FRAME_SAMPLES,
  FRAMES,
  readChangedFrames,
  type FrameSample,
} from "../../support/dc09-frames.ts";
import { seededRandom } from "../../support/seeded-random.ts";

/** What a sample says about its framing. */
function framingOf(sample: FrameSample): string {
  if (sample.id === "inv-13") return "not a frame";
  if (sample.crc_ok === true) return sample.length_ok === true ? "standard" : "length";
  if (sample.crc_plus_cr_ok === true && sample.length_plus_cr_ok === true) return "covers the CR";
  return sample.wire_hex === undefined ? "crc" : "raw checksum";
}

function framingRead([read]: readonly FrameRead[]): string {
  if (!read) return "not a frame";
  if ("refusal" in read) return read.refusal;
  if (read.dialect.hasBinaryCrc) return "raw checksum";
  return read.dialect.coversCr ? "covers the CR" : "standard";
}

describe("frames of real panels", () => {
  test.each(FRAMES)("$id is read in one piece", (sample) => {
    expect(framingRead(new FrameReader().push(bytesOf(sample)))).toBe(framingOf(sample));
  });

  test.each(FRAMES)("$id is read byte by byte", (sample) => {
    const reader = new FrameReader();
    const reads = [...bytesOf(sample)].flatMap((byte) => reader.push(Uint8Array.of(byte)));
    expect(framingRead(reads)).toBe(framingOf(sample));
  });

  test("all of them in one connection, cut at any two places, are read in order", () => {
    const all = Buffer.concat(FRAMES.map(bytesOf));
    const whole = new FrameReader().push(all);
    const random = seededRandom(9);
    for (let run = 0; run < 300; run += 1) {
      const cuts = [random(), random()].map((at) => Math.floor(at * all.length)).toSorted((a, b) => a - b);
      const [first = 0, second = 0] = cuts;
      const reader = new FrameReader();
      const reads = [all.subarray(0, first), all.subarray(first, second), all.subarray(second)].flatMap(
        (part) => reader.push(part),
      );
      expect(reads, `cut at ${first} and ${second}`).toEqual(whole);
    }
  });

  test.each(FRAME_SAMPLES.filter(({ body }) => body !== undefined))(
    "$id has the expected content",
    (sample) => {
      const { expected, body = "" } = sample;
      const head = messageHead(Buffer.from(body, "latin1"));
      if (!head) throw new Error("the head is malformed");
      const key = sample.key_hex === undefined ? undefined : Buffer.from(sample.key_hex, "hex");
      const read = head.isEncrypted ? key && encryptedContent(head, key) : plainContent(head);
      const sent = typeof expected["timestamp"] === "string" ? expected["timestamp"] : null;
      const facts: Readonly<Record<string, unknown>> = {
        id_token: head.token,
        encrypted: head.isEncrypted,
        sequence: head.sequence,
        receiver: head.receiver,
        line: head.line,
        account: head.account ?? read?.account,
        ...(read && "timestamp" in expected ? { timestamp: read.sentWallMs === null ? null : sent } : {}),
        ...(read?.extended.length
          ? { xdata: Object.fromEntries(read.extended.map(({ id, text }) => [id, text])) }
          : {}),
        ...(read ? eventFacts(head.token, read.data) : {}),
      };
      for (const [name, value] of Object.entries(facts))
        if (name in expected) expect(value, name).toEqual(expected[name]);
      if (read?.sentWallMs !== undefined && read.sentWallMs !== null && sent !== null)
        expect(new Date(read.sentWallMs).toISOString().replace(".000", "")).toBe(sent);
      if (!head.isEncrypted || key) expect(read, "the content").toBeDefined();
    },
  );
});

/** The samples call the area of SIA ("ri") the zone, and what follows the code the text. */
function eventFacts(token: string, data: string): Readonly<Record<string, unknown>> {
  if (token === "SIA-DCS") {
    const [event] = siaEvents(data) ?? [];
    return { code: event?.code, zone: /ri(\d+)/.exec(data)?.[1] };
  }
  if (token !== "ADM-CID") return {};
  const event = contactIdEvent(data);
  const qualifier = { new: "1", restored: "3", present: "6" }[event?.change ?? "new"];
  const zone = String(event?.number ?? "").padStart(3, "0");
  return { event: event?.code, qualifier, zone, partition: String(event?.partition ?? "").padStart(2, "0") };
}

describe("replies", () => {
  const answered = (text: string) => {
    const [read] = new FrameReader().push(Buffer.from(`\n${text}\r`, "latin1"));
    if (!read || "refusal" in read) throw new Error("not a frame");
    const head = messageHead(read.body);
    if (!head) throw new Error("no head");
    return { head, dialect: read.dialect };
  };
  const NOON = Date.UTC(2026, 10, 20, 12);

  test("an acknowledgement echoes sequence, prefix and account", () => {
    const reply = ack(answered('EA740027"NULL"0000L0#1409[]_20:38:07,08-27-2026'), NOON, undefined);
    expect(reply.toString("latin1")).toBe('\n59890012"ACK"0000L0#1409[]\r');
  });

  test("the receiver number is in the reply only if the panel sent one", () => {
    const reply = ack(answered('155A0030"ADM-CID"0228R4F39L4F39#4F39[#4F39|3401 01 057]'), NOON, undefined);
    expect(reply.toString("latin1")).toContain('"ACK"0228R4F39L4F39#4F39[]');
  });

  test("a panel whose checksum covers the CR gets such a reply, one with a raw checksum too", () => {
    const eldes = ack(answered('367B002B"ADM-CID"0058L9999#9999[#9999|1900 00 001]'), NOON, undefined);
    expect(framingRead(new FrameReader().push(eldes))).toBe("covers the CR");
    const raw = nak({ dialect: { hasBinaryCrc: true, coversCr: false } }, NOON);
    expect(framingRead(new FrameReader().push(raw))).toBe("raw checksum");
  });

  test("an encrypted message gets an encrypted acknowledgement with the time", () => {
    const key = Buffer.from("3A1F6B8C9D4E7F20123456789ABCDEF0", "hex");
    const sample = FRAME_SAMPLES.find(({ id }) => id === "gen-08");
    const [read] = new FrameReader().push(ack(answered(sample?.wire_text ?? ""), NOON, key));
    if (!read || "refusal" in read) throw new Error("not a frame");
    const head = messageHead(read.body);
    expect(head).toMatchObject({
      token: "ACK",
      isEncrypted: true,
      sequence: "0000",
      line: "0",
      account: "1234",
    });
    expect(head && encryptedContent(head, key)).toMatchObject({ data: "", sentWallMs: NOON });
  });

  test("a negative reply names no account, is never encrypted and has the time; a refusal echoes the message", () => {
    expect(nak({ dialect: STANDARD }, NOON).toString("latin1")).toContain(
      '"NAK"0000R0L0A0[]_12:00:00,11-20-2026',
    );
    const sample = FRAME_SAMPLES.find(({ id }) => id === "gen-06");
    const reply = duh(answered(sample?.wire_text ?? ""));
    expect(reply.toString("latin1")).toContain('"DUH"0012L0#1234[]');
  });
});

describe("hostile bytes", () => {
  /** The shortest of many times: others use the processor too, and the first ones are before the code is compiled. */
  const readMsOf = (text: string): number => {
    const frame = frameOf(Buffer.from(`"SIA-DCS"0001L0#ABCD[${text}`, "latin1"));
    const times = Array.from({ length: 100 }, () => {
      const startedMs = performance.now();
      const [read] = new FrameReader().push(frame);
      const head = read && "body" in read ? messageHead(read.body) : undefined;
      if (head) plainContent(head);
      return performance.now() - startedMs;
    });
    return Math.min(...times);
  };

  test.each(["] [V", "] [V]", "] [V] [V]  ]", "][V", "][a", "][", "] [", "]", "]_", "] [V]]]]]]", "]  [V"])(
    "a frame of 4,000 bytes of %j takes a few times as long as any other of its length, not hundreds",
    (unit) => {
      const harmlessMs = readMsOf("a".repeat(4_000));
      expect(readMsOf(`${unit.repeat(4_000 / unit.length)}x`) / harmlessMs).toBeLessThan(50);
    },
  );

  test("frames that are changed and cut at any place never end the reader, and use bounded memory", () => {
    expect(() => readChangedFrames(3_000, 1)).not.toThrow();
  });

  test("a frame without an end is dropped at the length of the longest frame", () => {
    const reader = new FrameReader();
    const head = Buffer.from('\n00000FFF"', "latin1");
    reader.push(head);
    const reads = Array.from({ length: 100 }, () => reader.push(Buffer.alloc(100, "A"))).flat();
    expect(reads).toEqual([{ refusal: "too-long" }]);
    expect(reader.isIncomplete).toBe(false);
    const next = frameOf(Buffer.from('"NULL"0000L0#1409[]', "latin1"));
    expect(framingRead(reader.push(next))).toBe("standard");
  });

  test("frames that begin and never end are dismissed in one pass, and the message after them is read", () => {
    const reader = new FrameReader();
    const begun = 400_000;
    const reads = reader.push(Buffer.from('\n00000FFF"'.repeat(begun), "latin1"));
    // The last one may still end.
    expect(reads).toHaveLength(begun - 1);
    expect(reads.at(-1)).toEqual({ refusal: "crc" });
    const [dropped, next, ...more] = reader.push(frameOf(Buffer.from('"NULL"0000L0#1409[]', "latin1")));
    expect(dropped).toEqual({ refusal: "crc" });
    expect(framingRead(next ? [next] : [])).toBe("standard");
    expect(more).toEqual([]);
  });

  test("a frame without an end hides no frame after it", () => {
    const next = frameOf(Buffer.from('"NULL"0000L0#1409[]', "latin1"));
    const endless = Buffer.concat([Buffer.from('\n00000FFF"', "latin1"), Buffer.alloc(10_000, "A")]);
    const reads = new FrameReader().push(Buffer.concat([endless, next]));
    expect(reads[0]).toEqual({ refusal: "too-long" });
    expect(framingRead(reads.slice(1))).toBe("standard");
  });
});
