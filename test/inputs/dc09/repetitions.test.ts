import { createCipheriv } from "node:crypto";
import { describe, expect, test } from "vitest";
import { wire } from "../../support/alarm-panel.ts";
import { Dc09Site, alarmPanelAccount } from "../../support/dc09-site.ts";

/** The site's time, and one within the limits later. */
const NOW = "_21:30:00,11-20-2026";
const LATER = "_21:30:15,11-20-2026";
const KEY = Buffer.from("00112233445566778899AABBCCDDEEFF", "hex");

/** An encrypted message whose padding is this byte, as often as needed. */
function padded(sequence: string, data: string, byte: number, time: string): Buffer {
  const content = Buffer.from(`|#1234|${data}]${time}`);
  const padding = Buffer.alloc(16 - (content.length % 16), byte);
  const cipher = createCipheriv("aes-128-cbc", KEY, Buffer.alloc(16)).setAutoPadding(false);
  const digits = Buffer.concat([cipher.update(Buffer.concat([padding, content])), cipher.final()]);
  return wire(`"*SIA-DCS"${sequence}L0#1234[${digits.toString("hex").toUpperCase()}`);
}

describe("an alarm that is repeated with another time", () => {
  test.each([
    ["with the time of the event, which was not in it before", "", "[H21:29:58,11-20-2026]"],
    ["with another time of the event", "[H21:29:58,11-20-2026]", "[H21:29:59,11-20-2026]"],
  ])("is one trip: %s", async (_name, before, after) => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")]);
    const panel = here.panel("1234");
    for (const end of [before + NOW, after + LATER])
      expect(await panel.send(wire(`"ADM-CID"0007L0#1234[#1234|1130 01 004]${end}`))).toMatchObject({
        token: "ACK",
      });
    expect(here.trips).toHaveLength(1);
    expect(here.count("repeated")).toBe(1);
  });

  test("is two trips if its text differs", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")]);
    const panel = here.panel("1234");
    for (const text of ["Hol", "Pod"])
      await panel.send(wire(`"ADM-CID"0007L0#1234[#1234|1130 01 004][I${text}]${LATER}`));
    expect(here.trips).toHaveLength(2);
  });
});

describe("an alarm from the memory of an alarm panel", () => {
  const memoryOf = async (occurred: string) => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")]);
    const frame = wire(`"ADM-CID"0007L0#1234[#1234|1130 01 004]${occurred}${NOW}`);
    expect(await here.panel("1234").send(frame)).toMatchObject({ token: "ACK" });
    return here.trips[0];
  };

  test("has the time at which it occurred in its texts", async () => {
    expect(await memoryOf("[H18:05:10,11-20-2026]")).toMatchObject({
      body: {
        dateStart: "2026-11-20T23:30:00",
        description: expect.stringMatching(
          /tripped at 2026-11-20 23:30:00, reported late, occurred at 2026-11-20 20:05:10\.$/,
        ),
      },
      signal: { remark: "reported late, occurred at 2026-11-20 20:05" },
    });
  });

  test.each([
    ["of some seconds ago", "[H21:29:58,11-20-2026]"],
    ["of a clock that was not set", "[H00:00:10,01-01-2000]"],
    ["that does not exist", "[H25:00:00,11-20-2026]"],
    ["that is ahead", "[H21:31:00,11-20-2026]"],
  ])("is not late by a time %s", async (_name, occurred) => {
    expect(await memoryOf(occurred)).toMatchObject({ signal: { remark: "" } });
  });
});

describe("an encrypted alarm whose padding is any bytes", () => {
  test.each([0x00, 0x23, 0x41, 0x80, 0xc4, 0xff])(
    "has its name as sent, and its repetition with other padding is the same alarm: %i",
    async (byte) => {
      const account = alarmPanelAccount("1234", { key: KEY.toString("hex"), isPlain: false });
      const here = await Dc09Site.start([account]);
      const panel = here.panel("1234");
      await panel.send(padded("0007", "Nri1/BA3^Bucătărie^", byte, NOW));
      await panel.send(padded("0007", "Nri1/BA3^Bucătărie^", 0x50, LATER));
      expect(here.trips.map(({ signal }) => signal?.name)).toEqual(["Bucătărie (1234/3)"]);
      expect(here.count("repeated")).toBe(1);
    },
  );
});
