import { createCipheriv } from "node:crypto";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import type { AlarmPanelAccount } from "../../../src/domain/alarm-panel.ts";
import { wire, type AlarmPanelDialect } from "../../support/alarm-panel.ts";
import { Dc09Site, alarmPanelAccount } from "../../support/dc09-site.ts";
import { eventually } from "../../support/eventually.ts";

/*
 * Messages in the styles of several makers, written from the standard (DC-09, DC-03, DC-05) and not from the receiver:
 * what each of them means, and the whole reply.
 */

/** The site's time, as a panel writes it. */
const NOW = "_21:30:00,11-20-2026";
const KEYS = {
  128: Buffer.from("AjaxKey_16_bytes"),
  192: Buffer.from("0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF", "hex"),
  256: Buffer.from("00112233445566778899aabbccddeeffffeeddccbbaa99887766554433221100", "hex"),
} as const;

/** Encrypts a content that is whole blocks, or pads it before the bar. */
function encrypted(content: string, bits: keyof typeof KEYS): string {
  const padding = "P".repeat((16 - (Buffer.byteLength(content) % 16)) % 16);
  const cipher = createCipheriv(`aes-${bits}-cbc`, KEYS[bits], Buffer.alloc(16)).setAutoPadding(false);
  return Buffer.concat([cipher.update(padding + content), cipher.final()])
    .toString("hex")
    .toUpperCase();
}

interface Sent {
  readonly name: string;
  readonly account: string;
  readonly body: string;
  readonly dialect?: AlarmPanelDialect;
  readonly bits?: keyof typeof KEYS;
  readonly panel?: Partial<AlarmPanelAccount>;
  /** Beginning of the reply's body, up to the bracket. */
  readonly reply: string;
  /** Trips by their zones, and other reports as `code change partition number`. */
  readonly means: readonly string[];
  /** Text of the first zone or report. */
  readonly text?: string;
}

const PLAIN: readonly Sent[] = [
  {
    name: "Paradox style, receiver and line of one digit",
    account: "0012",
    body: `"ADM-CID"0012R1L1#0012[#0012|1130 01 009]${NOW}`,
    reply: '"ACK"0012R1L1#0012',
    means: ["9-intrusion"],
  },
  {
    name: "a blank in place of the time",
    account: "0013",
    body: '"ADM-CID"0012R1L1#0013[#0013|1130 01 009] ',
    reply: '"ACK"0012R1L1#0013',
    means: ["9-intrusion"],
  },
  {
    name: "DSC style, four-digit zone and no area",
    account: "1234",
    body: `"SIA-DCS"0007R0L0#1234[#1234|NBA0003]${NOW}`,
    reply: '"ACK"0007R0L0#1234',
    means: ["3-intrusion"],
  },
  {
    name: "Satel style, receiver and line of six digits, a text in quotes",
    account: "123456",
    body: `"SIA-DCS"9999R00ABCDL00000F#123456[#123456|Nri01/FA007*"Hol parter"NM]${NOW}`,
    reply: '"ACK"9999R00ABCDL00000F#123456',
    means: ["7-fire"],
    text: "Hol parter",
  },
  {
    name: "Texecom style, modifiers before the code, a text in single quotes",
    account: "5555",
    body: `"SIA-DCS"0042L0#5555[#5555|Nda11-20-26/ti21:30/ri2/id7/pi14/am1/PA014*'KITCHEN PIR'NM]${NOW}`,
    reply: '"ACK"0042L0#5555',
    means: ["14-panic"],
    text: "KITCHEN PIR",
  },
  {
    name: "Texecom style, an area is armed by a user",
    account: "5555",
    body: `"SIA-DCS"0043L0#5555[#5555|Nda11-20-26/ti21:30/ri2/CL007]${NOW}`,
    reply: '"ACK"0043L0#5555',
    means: ["CL restored 2 7"],
  },
  {
    name: "Eldes style, no time, checksum over the CR, partition 99",
    account: "9999",
    dialect: "covers-cr",
    body: '"ADM-CID"0058L9999#9999[#9999|1110 99 005]',
    reply: '"ACK"0058L9999#9999',
    means: ["5-fire"],
  },
  {
    name: "Trikdis style, a raw checksum",
    account: "9413",
    dialect: "raw-checksum",
    body: `"ADM-CID"0101R1L1#9413[#9413|1121 01 002]${NOW}`,
    reply: '"ACK"0101R1L1#9413',
    means: ["2-holdup"],
  },
  {
    name: "Lupusec style, a raw checksum and no digits of the line",
    account: "7303658550",
    dialect: "raw-checksum",
    body: `"SIA-DCS"0001L#7303658550[#7303658550|Nri1/WA12^Baie: inundație^]${NOW}`,
    reply: '"ACK"0001L#7303658550',
    means: ["12-flood"],
    text: "Baie: inundație",
  },
  {
    name: "Eldes style, its account of sixteen digits as receiver and line too",
    account: "0123456789ABCDEF",
    dialect: "covers-cr",
    body: '"ADM-CID"0228R0123456789ABCDEFL0123456789ABCDEF#0123456789ABCDEF[#0123456789ABCDEF|1110 01 005]',
    reply: '"ACK"0228R0123456789ABCDEFL0123456789ABCDEF#0123456789ABCDEF',
    means: ["5-fire"],
  },
  {
    name: "zeros as the tone A of a telephone line, behind the type of the message",
    account: "1234",
    body: `"ADM-CID"0023L0#1234[#1234|98 111A A1 AA4]${NOW}`,
    reply: '"ACK"0023L0#1234',
    means: ["4-fire"],
  },
  {
    name: "an opening with the tone A",
    account: "1234",
    body: `"ADM-CID"0024L0#1234[#1234|14A1 A1 AA1]${NOW}`,
    reply: '"ACK"0024L0#1234',
    means: ["401 new 1 1"],
  },
  {
    name: "a NUL after the CR",
    account: "1234",
    dialect: "nul",
    body: `"ADM-CID"0003L0#1234[#1234|1162 00 011]${NOW}`,
    reply: '"ACK"0003L0#1234',
    means: ["11-gas"],
  },
  {
    name: "a zone of one digit and a blank partition",
    account: "1234",
    body: `"ADM-CID"0004L0#1234[#1234|1130    4]${NOW}`,
    reply: '"ACK"0004L0#1234',
    means: ["4-intrusion"],
  },
  {
    name: "an account only in the data",
    account: "ABC",
    body: `"ADM-CID"0004L0[#ABC|1100 00 001]${NOW}`,
    reply: '"ACK"0004L0',
    means: ["1-medical"],
  },
  {
    name: "an account only in the head, in small letters, which the reply repeats as sent",
    account: "AB12",
    body: `"SIA-DCS"0005L0#ab12[|Nri1/HA3]${NOW}`,
    reply: '"ACK"0005L0#ab12',
    means: ["3-holdup"],
  },
  {
    name: "an account of sixteen digits",
    account: "0123456789ABCDEF",
    body: `"ADM-CID"0006L0#0123456789ABCDEF[#0123456789ABCDEF|1144 01 003]${NOW}`,
    reply: '"ACK"0006L0#0123456789ABCDEF',
    means: ["3-tamper"],
  },
  {
    name: "several codes in one message, each in the area before it",
    account: "1234",
    body: `"SIA-DCS"0008L0#1234[#1234|Nri1/BA1/FA2/ri3/CL4/BR1]${NOW}`,
    reply: '"ACK"0008L0#1234',
    means: ["1-intrusion", "2-fire", "CL restored 3 4", "1-intrusion restored"],
  },
  {
    name: "texts with the separators of codes in them",
    account: "1234",
    body: `"SIA-DCS"0009L0#1234[#1234|Nri1/BA5^Etaj 1/2, Ușă^/BA6^Pod^]${NOW}`,
    reply: '"ACK"0009L0#1234',
    means: ["5-intrusion", "6-intrusion"],
    text: "Etaj 1/2, Ușă",
  },
  {
    name: "an alarm that continues and was never reported is a trip",
    account: "1234",
    body: `"ADM-CID"0010L0#1234[#1234|6130 00 003]${NOW}`,
    reply: '"ACK"0010L0#1234',
    means: ["3-intrusion"],
  },
  {
    name: "a restoral of the mains, partition and zone of zeros, in small hexadecimal letters",
    account: "1234",
    body: `"ADM-CID"0011L0#1234[#1234|3301 00 000]${NOW}`,
    reply: '"ACK"0011L0#1234',
    means: ["301 restored 0 0"],
  },
  {
    name: "several extended data blocks, of which one is the text",
    account: "1234",
    body: `"ADM-CID"0013L0#1234[#1234|1130 01 015][H21:29:58,11-20-2026][M0A1B2C3D4E5F][IMagazie spate][X026E06.1025][Y44N25.4358][Vhttp://cam.example.ro/1.jpg]${NOW}`,
    reply: '"ACK"0013L0#1234',
    means: ["15-intrusion"],
    text: "Magazie spate",
  },
  {
    name: "a supervision message with the account in the data and no time",
    account: "1234",
    body: '"NULL"0000R1L0#1234[#1234|]',
    reply: '"ACK"0000R1L0#1234',
    means: [],
  },
  {
    name: "no line, so the reply has none",
    account: "1234",
    body: `"SIA-DCS"0016#1234[#1234|Nri2BA3]${NOW}`,
    reply: '"ACK"0016#1234',
    means: ["3-intrusion"],
  },
  {
    name: "a receiver and no line",
    account: "1234",
    body: `"SIA-DCS"0017R1#1234[#1234|NOP001]${NOW}`,
    reply: '"ACK"0017R1#1234',
    means: ["OP new null 1"],
  },
  {
    name: "an account in the data without a number sign, and a line of three digits",
    account: "36214",
    body: `"ADM-CID"0379R0L000#36214[36214|1130 00 004]${NOW}`,
    reply: '"ACK"0379R0L000#36214',
    means: ["4-intrusion"],
  },
  {
    name: "an account in the data without a number sign, in other letters than in the head",
    account: "AB12",
    body: `"SIA-DCS"0442L0#ab12[AB12|NBA1^Hol^]${NOW}`,
    reply: '"ACK"0442L0#ab12',
    means: ["1-intrusion"],
    text: "Hol",
  },
  {
    name: "Eaton style, bars as separators, a text in a block of its own, no time and always the same sequence",
    account: "000010",
    body: '"SIA-DCS"0000L0#000010[#000010|Nti10:15|ri4|FA2|AFire Zone 2]',
    reply: '"ACK"0000L0#000010',
    means: ["2-fire"],
    text: "Fire Zone 2",
  },
  {
    name: "a text with a slash between stars",
    account: "1234",
    body: `"SIA-DCS"0018L0#1234[#1234|Nri1/BA47*Hol/Debara*]${NOW}`,
    reply: '"ACK"0018L0#1234',
    means: ["47-intrusion"],
    text: "Hol/Debara",
  },
  {
    name: "a text with brackets, and a block behind it",
    account: "1234",
    body: `"SIA-DCS"0020L0#1234[#1234|Nri1/BA48^Hol [parter]_[A]^][X026E06.1025]${NOW}`,
    reply: '"ACK"0020L0#1234',
    means: ["48-intrusion"],
    text: "Hol [parter]_[A]",
  },
  {
    name: "Contact ID with a text with brackets in quotes",
    account: "1234",
    body: `"ADM-CID"0023L0#1234[#1234|1130 01 049][I"Hol [parter]"]${NOW}`,
    reply: '"ACK"0023L0#1234',
    means: ["49-intrusion"],
    text: "Hol [parter] (",
  },
  {
    name: "Contact ID with a text that ends with a bracket, and the address of a picture in IPv6",
    account: "1234",
    body: `"ADM-CID"0024L0#1234[#1234|1110 01 050][IHol [parter]][V"http://[fe80::1]/x"][X026E06.1025]${NOW}`,
    reply: '"ACK"0024L0#1234',
    means: ["50-fire"],
    text: "Hol [parter]",
  },
  ...["[a] [b]", "[a][b]", "[a]_[b]", "]", "["].map((text, index): Sent => ({
    name: `Contact ID with the text ${text}`,
    account: "1234",
    body: `"ADM-CID"003${index}L0#1234[#1234|1130 01 051][I"${text}"]${NOW}`,
    reply: `"ACK"003${index}L0#1234`,
    means: ["51-intrusion"],
  })),
  {
    name: "SIA with a text with brackets as a block",
    account: "1234",
    body: `"SIA-DCS"0025L0#1234[#1234|Nri1/BA52][I"Hol [parter]"][H21:29:58,11-20-2026]${NOW}`,
    reply: '"ACK"0025L0#1234',
    means: ["52-intrusion"],
    text: "Hol [parter]",
  },
  {
    name: "the end of a supervisory condition, which is no fire",
    account: "1234",
    body: `"SIA-DCS"0019L0#1234[#1234|Nri1/FS90/FV90]${NOW}`,
    reply: '"ACK"0019L0#1234',
    means: ["FS new 1 90", "FV restored 1 90"],
  },
  {
    name: "Ajax style, armed with faults by a scenario",
    account: "1234",
    body: `"SIA-DCS"0022L0#1234[#1234|Nri1/AF501]${NOW}`,
    reply: '"ACK"0022L0#1234',
    means: ["AF restored 1 501"],
  },
  {
    name: "an underscore where the time would be",
    account: "9999",
    body: '"SIA-DCS"0001L0#9999[#9999|PA002]_',
    reply: '"ACK"0001L0#9999',
    means: ["2-panic"],
  },
  {
    name: "an unknown account",
    account: "1234",
    body: `"ADM-CID"0014R0L0#4321[#4321|1130 01 015]${NOW}`,
    reply: '"DUH"0014R0L0#4321',
    means: [],
  },
];

const ENCRYPTED: readonly Sent[] = [
  {
    name: "Ajax style, a key of 16 characters, a text in carets",
    account: "A1B2",
    bits: 128,
    body: `"*SIA-DCS"0431L0#A1B2[~|#A1B2|Nri1/BA3^Hol, mișcare^]${NOW}`,
    reply: '"*ACK"0431L0#A1B2',
    means: ["3-intrusion"],
    text: "Hol, mișcare",
  },
  {
    name: "Hikvision style, an extended data block with the name",
    account: "5A5A",
    bits: 256,
    body: `"*ADM-CID"0100R0L1#5A5A[~|#5A5A|1110 00 003][IDetector fum]${NOW}`,
    reply: '"*ACK"0100R0L1#5A5A',
    means: ["3-fire"],
    text: "Detector fum",
  },
  {
    name: "encrypted, a text with brackets",
    account: "A1B2",
    bits: 128,
    body: `"*SIA-DCS"0432L0#A1B2[~|#A1B2|Nri1/BA3^Camera [2]^]${NOW}`,
    reply: '"*ACK"0432L0#A1B2',
    means: ["3-intrusion"],
    text: "Camera [2]",
  },
  {
    name: "a content of whole blocks without padding and bar",
    account: "1234",
    bits: 192,
    // 18 characters, 10 of the text and 20 of the time are three blocks.
    body: `"*ADM-CID"0015L0#1234[~#1234|1130 01 004][I1234567]${NOW}`,
    reply: '"*ACK"0015L0#1234',
    means: ["4-intrusion"],
    text: "1234567",
  },
  ...["~]", "~|]", "~|#1234]", "~|#1234|]", "~|#1234|0000 00 000]"].map((content): Sent => ({
    name: `an encrypted supervision message, ${content}`,
    account: "1234",
    bits: 192,
    body: `"*NULL"0000L0#1234[${content}${NOW}`,
    reply: '"*ACK"0000L0#1234',
    means: [],
  })),
  {
    name: "encrypted without a line, the account in the data without a number sign",
    account: "1234",
    bits: 128,
    body: `"*SIA-DCS"0007#1234[~|1234|Nri2BA3]${NOW}`,
    reply: '"*ACK"0007#1234',
    means: ["3-intrusion"],
  },
  {
    name: "encrypted with an underscore where the time would be, which proves nothing",
    account: "1234",
    bits: 128,
    body: '"*ADM-CID"0018L0#1234[~|#1234|1130 01 004]_',
    reply: '"NAK"0000R0L0A0',
    means: [],
  },
  {
    name: "encrypted without a time, which proves nothing",
    account: "1234",
    bits: 128,
    body: '"*ADM-CID"0016L0#1234[~|#1234|1130 01 004]',
    reply: '"NAK"0000R0L0A0',
    means: [],
  },
];

/** The frame on the wire: what follows a `~` is encrypted. */
function frameOf({ body, bits, dialect, name }: Sent): Buffer {
  const [head = "", content] = body.split("~");
  const frame = wire(
    bits === undefined || content === undefined ? body : head + encrypted(content, bits),
    dialect,
  );
  return name.includes("small hexadecimal letters") ? inSmallLetters(frame) : frame;
}

function inSmallLetters(frame: Buffer): Buffer {
  return Buffer.concat([
    frame.subarray(0, 1),
    Buffer.from(frame.toString("latin1", 1, 9).toLowerCase()),
    frame.subarray(9),
  ]);
}

async function receiverOf({ account, bits, panel }: Sent): Promise<Dc09Site> {
  const key = bits === undefined ? {} : { key: KEYS[bits].toString("hex"), isPlain: false };
  return Dc09Site.start([alarmPanelAccount(account, { ...key, ...panel })]);
}

/** Sends parts one after the other over TCP. @returns what was received until a whole number of frames has arrived */
function exchange(port: number, parts: readonly Buffer[], frames = 1): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1").setNoDelay(true);
    let received = "";
    socket.on("error", reject);
    socket.on("close", () => resolve(received));
    socket.on("data", (part) => {
      received += part.toString("latin1");
      // The body of a reply ends with a bracket, digits of its time or, encrypted, a hexadecimal digit.
      if (received.match(/[\]0-9A-F]\r/g)?.length === frames) socket.destroy();
    });
    const [first = Buffer.alloc(0), ...rest] = parts;
    const next = (part: Buffer): void => {
      socket.write(part, () => setImmediate(() => rest[0] && next(rest.shift() ?? first)));
    };
    next(first);
  });
}

/** What the site has made of the messages. */
function meaningsOf(here: Dc09Site, account: string): string[] {
  const prefix = `dc09-${account.toLowerCase()}-`;
  const trips = here.trips
    .filter(({ type }) => type === "trip")
    .map(({ zoneId }) => zoneId.replace(prefix, ""));
  const reports = here.events
    .filter(({ event }) => event === "alarm-panel-reported")
    .map(({ detail }) => {
      const { code, change, partition, number } = detail as Record<string, unknown>;
      return `${String(code)} ${String(change)} ${String(partition)} ${String(number)}`;
    });
  const restored = here.restores.map(({ zoneId }) => `${zoneId.replace(prefix, "")} restored`);
  return [...trips, ...reports, ...restored];
}

describe("a message", () => {
  test.each([...PLAIN, ...ENCRYPTED])("in the style: $name", async (sent) => {
    const here = await receiverOf(sent);
    const reply = await exchange(here.receiver.ports.tcp ?? 0, [frameOf(sent)]);
    expect(/"\*?[A-Z]{3}"[^[]*/.exec(reply)?.[0]).toBe(sent.reply);
    expect(meaningsOf(here, sent.account)).toEqual(sent.means);
    if (sent.text !== undefined) expect(here.zoneService.monitor.zones()[0]?.zone.name).toContain(sent.text);
  });

  test("of which each segment is a few bytes is answered as in one piece", async () => {
    const [paradox] = PLAIN;
    if (!paradox) throw new Error("no frame");
    const here = await receiverOf(paradox);
    const frame = frameOf(paradox);
    const parts = [1, 3, 6, 8, 9, 10, 30, frame.length].map((end, index, all) =>
      frame.subarray(all[index - 1] ?? 0, end),
    );
    expect(await exchange(here.receiver.ports.tcp ?? 0, parts)).toContain(paradox.reply);
    expect(meaningsOf(here, paradox.account)).toEqual(paradox.means);
  });

  test("and a supervision message in one segment get a reply each, in their order", async () => {
    const [paradox] = PLAIN;
    if (!paradox) throw new Error("no frame");
    const here = await receiverOf(paradox);
    const both = Buffer.concat([frameOf(paradox), wire('"NULL"0000R1L1#0012[]')]);
    const replies = await exchange(here.receiver.ports.tcp ?? 0, [both], 2);
    expect(replies.indexOf('"ACK"0012R1L1#0012')).toBeLessThan(replies.indexOf('"ACK"0000R1L1#0012'));
    expect(replies).toContain('"ACK"0012R1L1#0012[]\r\n');
  });

  test("in a datagram with bytes behind it gets one reply", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")]);
    const frame = wire(`"ADM-CID"0021L0#1234[#1234|1130 01 004]${NOW}`);
    const panel = here.panel("1234", { transport: "udp" });
    expect(await panel.send(Buffer.concat([frame, Buffer.from("\0\0\r\n")]))).toMatchObject({
      token: "ACK",
      sequence: "0021",
    });
    expect(meaningsOf(here, "1234")).toEqual(["4-intrusion"]);
  });

  test("whose raw checksum has the bytes of an LF, a CR or a quote is read", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("9413")]);
    const panel = here.panel("9413", { dialect: "raw-checksum" });
    const special = [0x0a, 0x0d, 0x22];
    const sequences = Array.from({ length: 9_999 }, (_, index) => String(index + 1).padStart(4, "0"));
    const frames = sequences.map((sequence) => wire(`"NULL"${sequence}R1L1#9413[]${NOW}`, "raw-checksum"));
    for (const at of [1, 2])
      for (const byte of special) {
        const frame = frames.find((bytes) => bytes[at] === byte);
        if (!frame) throw new Error(`no checksum has ${byte}`);
        await panel.send(frame);
      }
    await eventually("all of them", () => here.count("acknowledged") === special.length * 2);
    expect(here.count("crc")).toBe(0);
  });
});
