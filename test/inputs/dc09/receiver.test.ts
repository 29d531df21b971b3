import { describe, expect, test } from "vitest";
import { newAlarmPanelKey, wire } from "../../support/alarm-panel.ts";
import { Dc09Site, alarmPanelAccount } from "../../support/dc09-site.ts";
import { zoneOf } from "../../support/monitored-zones.ts";

const hall = zoneOf({ id: "hall", kind: "motion", input: { dc09: "1234", zone: 4 } });

describe("an alarm of a panel", () => {
  test.each(["tcp", "udp"] as const)(
    "over %s is a trip of its zone, which the restoral restores",
    async (transport) => {
      const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
      const panel = here.panel("1234", { transport });
      expect(await panel.contactId("1130 01 004")).toMatchObject({ token: "ACK", sequence: "0001" });
      expect(here.trips).toMatchObject([
        { zoneId: "hall", source: "dc09", type: "trip", cause: "edge", state: "waiting" },
      ]);
      expect(await panel.contactId("3130 01 004")).toMatchObject({ token: "ACK", sequence: "0002" });
      expect(here.contactOf("hall")).toBe("normal");
      expect(here.restores).toHaveLength(1);
    },
  );

  test.each([16, 24, 32] as const)("with a key of %i bytes is acknowledged encrypted", async (bytes) => {
    const key = newAlarmPanelKey(bytes);
    const here = await Dc09Site.start([alarmPanelAccount("1234", { key, isPlain: false })], [hall]);
    const reply = await here.panel("1234", { key }).contactId("1130 01 004");
    expect(reply).toMatchObject({ token: "ACK", sequence: "0001" });
    expect(reply?.content).toMatch(/^[^|]*\|\]_21:30:00,11-20-2026$/);
    expect(here.trips).toHaveLength(1);
  });

  test("in SIA is a trip of its area and zone", async () => {
    const here = await Dc09Site.start(
      [alarmPanelAccount("1234")],
      [
        zoneOf({ id: "shop", input: { dc09: "1234", partition: 1, zone: 4 } }),
        zoneOf({ id: "flat", input: { dc09: "1234", partition: 2, zone: 4 } }),
      ],
    );
    expect(await here.panel("1234").sia("Nri2/BA04*'Bedroom'NM")).toMatchObject({ token: "ACK" });
    expect(here.trips.map(({ zoneId }) => zoneId)).toEqual(["flat"]);
    expect(await here.panel("1234").sia("Nri2/BR04", "0002")).toMatchObject({ token: "ACK" });
    expect(here.contactOf("flat")).toBe("normal");
  });

  test("is another trip although the panel has sent no restoral, but not while it only says that it continues", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
    const panel = here.panel("1234");
    await panel.contactId("1130 01 004");
    await panel.contactId("6130 01 004");
    expect(here.trips).toHaveLength(1);
    await panel.contactId("1130 01 004");
    expect(here.trips).toHaveLength(2);
  });

  test("after a restart during which nothing was reported is an ordinary trip", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
    await here.startAgain();
    await here.panel("1234").contactId("1130 01 004");
    expect(here.trips).toMatchObject([{ cause: "edge", earliestWallMs: null }]);
  });

  test("whose restoral follows within a second is a trip, whatever its zone filters: it was acknowledged", async () => {
    const options = {
      id: "hall",
      input: { dc09: "1234", zone: 4 },
      confirmMs: 3_000,
      minOpenMs: 400,
    } as const;
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [zoneOf(options)]);
    const panel = here.panel("1234");
    expect(await panel.contactId("1130 01 004")).toMatchObject({ token: "ACK" });
    here.clock.advance(300);
    expect(await panel.contactId("3130 01 004")).toMatchObject({ token: "ACK" });
    here.clock.advance(10_000);
    expect(here.trips).toMatchObject([{ zoneId: "hall", state: "waiting" }]);
    expect(here.restores).toHaveLength(1);
  });

  test("that cannot be stored gets no reply, and is one trip once the panel has repeated it", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
    const panel = here.panel("1234");
    here.breakJournal();
    await here.sendUnstored((sender) => sender.contactId("1130 01 004", "0001"));
    expect(here.conditions).toContain("journal-write-failed");
    here.repairJournal();
    expect(await panel.contactId("1130 01 004", "0001")).toMatchObject({ token: "ACK" });
    expect(here.trips).toHaveLength(1);
  });
});

describe("zones that are not configured", () => {
  test("are created at their first alarm with the panel's text and the type of the code, and remain after a restart", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")]);
    const panel = here.panel("1234");
    await panel.sia("Nri1/FA07^Kitchen smoke^");
    expect(here.trips).toMatchObject([
      { zoneId: "dc09-1234-7-fire", body: { firetruck: true, objectiveId: 12 } },
    ]);
    await here.startAgain();
    expect(here.zones).toMatchObject([
      { id: "dc09-1234-7-fire", name: "Kitchen smoke (1234/7)", kind: "fire" },
    ]);
    expect(here.contactOf("dc09-1234-7-fire")).toBe("open");
    await panel.sia("Nri1/FR07");
    expect(here.contactOf("dc09-1234-7-fire")).toBe("normal");
  });

  test("of another class than the configured zone get a zone of their own: a fire is not reported as a burglary", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
    await here.panel("1234").contactId("1110 01 004");
    expect(here.trips.map(({ zoneId }) => zoneId)).toEqual(["dc09-1234-4-fire"]);
  });

  test("of another partition than the configured zone of that number do not trip together with it", async () => {
    const first = zoneOf({ id: "hall", kind: "motion", input: { dc09: "1234", partition: 1, zone: 4 } });
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [first]);
    const panel = here.panel("1234");
    for (const event of ["1130 02 004", "1130 01 004", "3130 01 004"]) await panel.contactId(event);
    expect(here.trips.map(({ zoneId }) => zoneId)).toEqual(["dc09-1234-4-intrusion", "hall"]);
    expect(here.restores.map(({ zoneId }) => zoneId)).toEqual(["hall"]);
    expect(here.contactOf("dc09-1234-4-intrusion")).toBe("open");
  });

  test("are replaced by a configured zone that keeps the id and has a partition, which trips and is restored", async () => {
    const id = "dc09-1234-4-intrusion";
    const own = zoneOf({ id, kind: "intrusion", input: { dc09: "1234", partition: 2, zone: 4 } });
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [own]);
    const panel = here.panel("1234");
    for (const event of ["1130 02 004", "3130 02 004"]) await panel.contactId(event);
    expect(here.trips.map(({ zoneId }) => zoneId)).toEqual([id]);
    expect(here.restores.map(({ zoneId }) => zoneId)).toEqual([id]);
    expect(here.contactOf(id)).toBe("normal");
  });

  test("are refused with zones: declared, so that the panel reports a communication failure", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("1234", { zones: "declared" })], [hall]);
    const panel = here.panel("1234");
    expect(await panel.contactId("1130 01 009")).toMatchObject({ token: "DUH", sequence: "0001" });
    expect(here.conditions).toContain("alarm-panel-rejected/undeclared-zone 1234");
    expect(await panel.contactId("1110 01 004")).toMatchObject({ token: "ACK" });
    expect(here.trips.map(({ zoneId }) => zoneId)).toEqual(["hall"]);
    expect(here.contactOf("hall")).toBe("open");
    await panel.contactId("3110 01 004");
    expect(here.contactOf("hall")).toBe("normal");
    expect(here.restores).toHaveLength(1);
  });

  test("leave a declared zone of the whole account open when an alarm of another class is restored", async () => {
    const fire = zoneOf({ id: "fire", kind: "fire", input: { dc09: "1234" } });
    const here = await Dc09Site.start([alarmPanelAccount("1234", { zones: "declared" })], [fire]);
    const panel = here.panel("1234");
    for (const event of ["1110 01 005", "1130 01 003", "3130 01 003"]) await panel.contactId(event);
    expect(here.contactOf("fire")).toBe("open");
    await panel.contactId("3110 01 005");
    expect(here.contactOf("fire")).toBe("normal");
  });

  test("share one zone once 64 were created, which the restoral of such an alarm restores", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")]);
    for (let number = 1; number <= 64; number += 1)
      here.journal.alarmPanels.addZone({ account: "1234", kind: "fire", number, name: `Zone ${number}` });
    await here.startAgain();
    const panel = here.panel("1234");
    await panel.contactId("1110 01 070");
    expect(here.trips).toMatchObject([{ zoneId: "dc09-1234-999999-fire" }]);
    await panel.contactId("3110 01 070");
    expect(here.contactOf("dc09-1234-999999-fire")).toBe("normal");
    expect(here.restores).toHaveLength(1);
  });
});

describe("a repeated message", () => {
  test("is acknowledged again and acted on once, also with another time and after a restart", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
    const panel = here.panel("1234");
    await panel.contactId("3130 01 004", "0001");
    await panel.contactId("1130 01 004", "0002");
    here.clock.advance(25_000);
    expect(await panel.contactId("1130 01 004", "0002")).toMatchObject({ token: "ACK", sequence: "0002" });
    await here.startAgain();
    expect(await panel.contactId("1130 01 004", "0002")).toMatchObject({ token: "ACK", sequence: "0002" });
    expect(here.trips).toHaveLength(1);
    expect(here.count("repeated")).toBe(1);
  });

  test("of yesterday with its old time is acknowledged and not acted on", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
    const panel = here.panel("1234");
    const frame = panel.frame("ADM-CID", "#1234|1130 01 004", "0001");
    await panel.send(frame);
    await panel.contactId("3130 01 004", "0002");
    here.clock.advance(86_400_000);
    expect(await panel.send(frame)).toMatchObject({ token: "ACK" });
    expect(here.trips).toHaveLength(1);
  });

  test("over two paths at the same time is one trip", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
    const frame = here.panel("1234").frame("ADM-CID", "#1234|1130 01 004", "0001");
    const replies = await Promise.all(
      (["tcp", "udp"] as const).map((transport) => here.panel("1234", { transport }).send(frame)),
    );
    expect(replies).toMatchObject([{ token: "ACK" }, { token: "ACK" }]);
    expect(here.trips).toHaveLength(1);
  });

  test("from a panel without time is recognised an hour later if nothing came in between", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
    const panel = here.panel("1234", { wallMs: undefined });
    await panel.contactId("3130 01 004", "0057");
    await panel.contactId("1130 01 004", "0058");
    here.clock.advance(3_600_000);
    await panel.contactId("1130 01 004", "0058");
    expect(here.trips).toHaveLength(1);
  });

  test("is not assumed when the sequences have wrapped: the alarm of days later is a trip", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
    const panel = here.panel("1234", { wallMs: undefined });
    for (let round = 0; round < 3; round += 1) {
      await panel.contactId("1130 01 004", "0058");
      await panel.contactId("3130 01 004", "0059");
      here.clock.advance(2 * 86_400_000);
    }
    expect(here.trips).toHaveLength(3);
  });

  test("is not assumed for a panel that does not count: the next alarm is a trip", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
    const panel = here.panel("1234", { wallMs: undefined });
    await panel.contactId("1130 01 004", "0001");
    here.clock.advance(3_600_000);
    await panel.contactId("1130 01 004", "0001");
    expect(here.trips).toHaveLength(2);
  });

  test.each([
    ["always sends 0000", "0000", []],
    ["always sends another number", "0007", ["1131 01 009"]],
  ])(
    "is not assumed five minutes later for a panel that %s, but within seconds",
    async (_name, sequence, before) => {
      const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
      const panel = here.panel("1234", { wallMs: undefined });
      for (const event of before) await panel.contactId(event, sequence);
      for (const afterMs of [0, 60_000, 300_000]) {
        here.clock.advance(afterMs);
        expect(await panel.contactId("1130 01 004", sequence)).toMatchObject({ token: "ACK" });
      }
      expect(here.trips.filter(({ zoneId }) => zoneId === "hall")).toHaveLength(2);
    },
  );

  test.each([
    ["always sends 0000", "0000", []],
    ["always sends another number", "0007", ["1131 01 009"]],
  ])("is assumed each 20 s for ten minutes, for a panel that %s", async (_name, sequence, before) => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
    const panel = here.panel("1234", { wallMs: undefined });
    const ofHall = () => here.trips.filter(({ zoneId }) => zoneId === "hall").length;
    for (const event of before) await panel.contactId(event, sequence);
    await panel.contactId("1130 01 004", sequence);
    for (let ms = 20_000; ms <= 600_000; ms += 20_000) {
      here.clock.advance(20_000);
      expect(await panel.contactId("1130 01 004", sequence)).toMatchObject({ token: "ACK" });
    }
    expect(ofHall()).toBe(1);
    // A panel that repeats it all day must not swallow every further alarm.
    here.clock.advance(20_000);
    await panel.contactId("1130 01 004", sequence);
    expect(ofHall()).toBe(2);
  });

  test("is not assumed within minutes if the panel has used the sequence for its restoral in between", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
    const panel = here.panel("1234");
    await panel.contactId("1130 01 004", "0001");
    here.clock.advance(60_000);
    await panel.contactId("3130 01 004", "0001");
    here.clock.advance(60_000);
    expect(await panel.contactId("1130 01 004", "0001")).toMatchObject({ token: "ACK" });
    expect(here.trips).toHaveLength(2);
    expect(here.contactOf("hall")).toBe("open");
  });

  test("is a trip also without a restoral in between, although its zone has a debounce", async () => {
    const debounced = zoneOf({
      id: "hall",
      kind: "motion",
      input: { dc09: "1234", zone: 4 },
      debounceMs: 50,
    });
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [debounced]);
    const panel = here.panel("1234");
    for (const sequence of ["0001", "0002", "0003"]) {
      await panel.contactId("1130 01 004", sequence);
      here.clock.advance(60_000);
    }
    expect(here.trips).toHaveLength(3);
  });
});

describe("a message that is not accepted", () => {
  test("with a wrong checksum gets no reply", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
    const frame = here.panel("1234").frame("ADM-CID", "#1234|1130 01 004", "0001");
    frame[1] = frame[1] === 0x30 ? 0x31 : 0x30;
    expect(await here.panel("1234", { replyWithinMs: 300 }).send(frame)).toBeUndefined();
    expect(here.count("crc")).toBe(1);
    expect(here.trips).toEqual([]);
  });

  test("of another account is refused, counted and named", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
    expect(await here.panel("9999").contactId("1130 01 004")).toMatchObject({ token: "DUH" });
    expect(here.count("unknown-account")).toBe(1);
    expect(here.conditions).toEqual(["alarm-panel-rejected/unknown-account 9999"]);
    here.clock.advance(600_000);
    expect(here.conditions).toEqual([]);
  });

  test("with another key gets a negative reply with the time", async () => {
    const here = await Dc09Site.start(
      [alarmPanelAccount("1234", { key: newAlarmPanelKey(16), isPlain: false })],
      [hall],
    );
    const reply = await here.panel("1234", { key: newAlarmPanelKey(16) }).contactId("1130 01 004");
    expect(reply).toMatchObject({ token: "NAK", sequence: "0000", content: "]_21:30:00,11-20-2026" });
    expect(here.conditions).toContain("alarm-panel-rejected/key 1234");
    expect(here.trips).toEqual([]);
  });

  test("with another key gets no time while the daemon's own clock is not trusted", async () => {
    const here = await Dc09Site.start(
      [alarmPanelAccount("1234", { key: newAlarmPanelKey(16), isPlain: false })],
      [hall],
    );
    here.isClockTrusted = false;
    const reply = await here.panel("1234", { key: newAlarmPanelKey(16) }).contactId("1130 01 004");
    expect(reply).toMatchObject({ token: "DUH", content: "]" });
    expect(here.conditions).toContain("alarm-panel-rejected/key 1234");
  });

  test("without encryption is refused for an account with a key, and from an address that is not allowed gets no reply", async () => {
    const here = await Dc09Site.start(
      [
        alarmPanelAccount("1234", { key: newAlarmPanelKey(16), isPlain: false }),
        alarmPanelAccount("5678", { from: ["192.0.2.0/24"] }),
        alarmPanelAccount("AB12", { from: ["127.0.0.0/8"] }),
      ],
      [hall],
    );
    expect(await here.panel("1234").contactId("1130 01 004")).toMatchObject({ token: "DUH" });
    expect(await here.panel("5678", { replyWithinMs: 300 }).contactId("1130 01 004")).toBeUndefined();
    expect(await here.panel("AB12").supervision()).toMatchObject({ token: "ACK" });
    expect(here.count("address")).toBe(1);
    expect(here.count("plain")).toBe(1);
  });

  test.each([
    ["21 s ahead", 21_000, "NAK"],
    ["20 s ahead", 20_000, "ACK"],
    ["40 s behind", -40_000, "ACK"],
    ["41 s behind", -41_000, "NAK"],
  ])("by its time, %s, gets %s", async (_name, offMs, token) => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
    const panel = here.panel("1234", { wallMs: () => here.clock.wallMs() + offMs });
    expect(await panel.contactId("1130 01 004")).toMatchObject({ token });
    expect(await panel.supervision()).toMatchObject({ token });
    expect(here.trips).toHaveLength(token === "ACK" ? 1 : 0);
  });

  test("by its time is accepted while the daemon's own clock is not trusted", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
    here.isClockTrusted = false;
    const panel = here.panel("1234", { wallMs: () => here.clock.wallMs() + 3_600_000 });
    expect(await panel.contactId("1130 01 004")).toMatchObject({ token: "ACK" });
  });

  test("of an unknown format is refused; one of an unknown code is recorded and shown", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
    const panel = here.panel("1234");
    expect(await panel.send(panel.frame("ACR-SF", "#1234|99", "0001"))).toMatchObject({ token: "DUH" });
    expect(await panel.contactId("1900 00 001", "0002")).toMatchObject({ token: "ACK" });
    expect(here.conditions).toContain("alarm-panel-code-unknown/1234 900");
    expect(here.events).toMatchObject([
      { event: "alarm-panel-reported", detail: { code: "900", what: "unknown" } },
    ]);
  });

  test("of an unknown code beyond 32 others is shown as one of further ones", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
    const panel = here.panel("1234");
    for (let code = 900; code < 940; code += 1) {
      here.clock.advance(1_000);
      expect(await panel.contactId(`1${code} 00 001`)).toMatchObject({ token: "ACK" });
    }
    expect(here.conditions).toHaveLength(33);
    expect(here.conditions).toContain("alarm-panel-code-unknown/#");
    expect(here.events).toHaveLength(40);
  });

  test("is one of more than 300 at once: the panel sends the rest later", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
    const panel = here.panel("1234", { replyWithinMs: 300 });
    const frames = Array.from({ length: 305 }, () => panel.frame("NULL", "", "0000"));
    await panel.send(Buffer.concat(frames)).catch(() => undefined);
    expect(here.count("acknowledged")).toBeLessThanOrEqual(300);
  });
});

describe("other reports", () => {
  test("opening and closing are the gate of its zones, also after a restart", async () => {
    const gate = { dc09: "1234", partition: 1 };
    const here = await Dc09Site.start(
      [alarmPanelAccount("1234")],
      [zoneOf({ id: "hall", kind: "motion", input: { dc09: "1234", zone: 4 }, gate })],
    );
    const panel = here.panel("1234");
    await panel.contactId("1401 01 002");
    await here.startAgain();
    await panel.contactId("1130 01 004");
    expect(here.trips).toMatchObject([{ state: "gated" }]);
    await panel.contactId("3130 01 004");
    await panel.contactId("3401 01 002");
    await panel.contactId("1130 01 004");
    expect(here.trips).toMatchObject([{ state: "gated" }, { state: "waiting" }]);
  });

  test("a zone bypassed at the panel and a trouble are shown until they are restored, also after a restart", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
    const panel = here.panel("1234");
    await panel.contactId("1570 01 004");
    await panel.contactId("1301 00 000");
    await here.startAgain();
    expect(here.conditions).toEqual(["alarm-panel-bypass/1234 570 1/4", "alarm-panel-trouble/1234 301 0"]);
    await panel.contactId("3570 01 004");
    await panel.contactId("3301 00 000");
    expect(here.conditions).toEqual([]);
  });

  test.each([
    ["1570 01 004", "570 1/4"],
    ["1573 01 004", "573 1/4"],
    ["1574 01 004", "574 1/4"],
    ["1575 00 004", "575 4"],
    ["1461 01 000", "461 0"],
  ])("%s ends with the next opening of its partition, also after a restart", async (event, subject) => {
    const here = await Dc09Site.start([alarmPanelAccount("1234"), alarmPanelAccount("5678")], [hall]);
    const panel = here.panel("1234");
    await panel.contactId(event);
    await here.panel("5678").contactId("1401 01 002");
    await panel.contactId("3401 01 002");
    expect(here.conditions).toEqual([expect.stringContaining(`1234 ${subject}`)]);
    await here.startAgain();
    if (!event.includes(" 00 ")) await panel.contactId("1401 02 002");
    expect(here.conditions).toEqual([expect.stringContaining(`1234 ${subject}`)]);
    await panel.contactId("1401 01 002");
    expect(here.conditions).toEqual([]);
    await here.startAgain();
    expect(here.conditions).toEqual([]);
  });

  test("in SIA the bypass of a burglary point ends with an opening, that of a fire point with its own end", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
    const panel = here.panel("1234");
    await panel.sia("Nri1/BB04/UB05/FB06");
    await panel.sia("Nri1/CL501");
    expect(here.conditions).toHaveLength(3);
    await panel.sia("Nri1/OP501");
    expect(here.conditions).toEqual(["alarm-panel-bypass/1234 FB 1/6"]);
    await panel.sia("Nri1/FU06");
    expect(here.conditions).toEqual([]);
  });

  test.each(["571", "572", "576", "577", "434"])(
    "the bypass %s of what is not disarmed lasts until the alarm panel ends it",
    async (code) => {
      const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
      const panel = here.panel("1234");
      await panel.contactId(`1${code} 01 004`);
      await panel.contactId("1401 01 002");
      expect(here.conditions).toEqual([`alarm-panel-bypass/1234 ${code} 1/4`]);
      await panel.contactId(`3${code} 01 004`);
      expect(here.conditions).toEqual([]);
    },
  );

  test.each(["1454 01 000", "1455 01 000", "1654 01 000"])(
    "%s, a site that is not armed as it should be, is a condition until a closing",
    async (event) => {
      const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
      const panel = here.panel("1234");
      await panel.contactId(event);
      await panel.contactId("1401 01 002");
      expect(here.conditions).toEqual([`alarm-panel-trouble/1234 ${event.slice(1, 4)} 1/0`]);
      await panel.contactId("3401 01 002");
      expect(here.conditions).toEqual([]);
    },
  );

  test("a door that is propped open is a condition, and an alarm of a zone with its code", async () => {
    const door = zoneOf({ id: "door", kind: "technical", input: { dc09: "5678", codes: ["426"] } });
    const here = await Dc09Site.start([alarmPanelAccount("1234"), alarmPanelAccount("5678")], [hall, door]);
    await here.panel("1234").contactId("1426 01 007");
    await here.panel("5678").contactId("1426 01 007");
    expect(here.conditions).toEqual(["alarm-panel-trouble/1234 426 1/7"]);
    expect(here.trips.map(({ zoneId }) => zoneId)).toEqual(["door"]);
    await here.panel("1234").contactId("3426 01 007");
    expect(here.conditions).toEqual([]);
  });

  test("the restoral of a point in SIA ends its troubles and its lost supervision too", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
    const panel = here.panel("1234");
    for (const code of ["BT08", "BS08", "FT08", "BT09", "BZ04"]) await panel.sia(`Nri1/${code}`);
    await panel.sia("Nri1/BR08");
    expect(here.conditions).toEqual(["alarm-panel-trouble/1234 FT 1/8", "alarm-panel-trouble/1234 BT 1/9"]);
    await panel.sia("Nri1/FJ08/BR09/BR04");
    expect(here.conditions).toEqual([]);
    here.clock.advance(5_000);
    expect(here.trips.map(({ type, cause }) => `${type} ${cause}`)).toEqual([
      "fault supervision",
      "fault-over supervision",
    ]);
  });

  test("tamper, battery and supervision of a zone are its faults", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
    const panel = here.panel("1234");
    for (const code of ["383", "384", "381"]) await panel.contactId(`1${code} 01 004`);
    here.clock.advance(5_000);
    expect(here.trips.map(({ type, cause }) => `${type} ${cause}`)).toEqual([
      "fault tamper",
      "fault battery",
      "fault supervision",
    ]);
    for (const code of ["383", "384", "381"]) await panel.contactId(`3${code} 01 004`);
    expect(here.journal.faults.list()).toEqual([]);
  });

  test("tamper of an unknown zone is an alarm of a zone that is created for it", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
    const panel = here.panel("1234");
    await panel.contactId("1137 00 000");
    expect(here.trips).toMatchObject([{ zoneId: "dc09-1234-0-tamper", type: "trip" }]);
    await panel.contactId("3137 00 000");
    expect(here.contactOf("dc09-1234-0-tamper")).toBe("normal");
  });

  test("any code is a trip of a zone that names it", async () => {
    const mains = zoneOf({ id: "mains", kind: "technical", input: { dc09: "1234", codes: ["301", "AT"] } });
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [mains]);
    const panel = here.panel("1234");
    await panel.contactId("1301 00 000");
    await panel.contactId("3301 00 000");
    await panel.sia("Nri0/AT00");
    await panel.sia("Nri0/AR00");
    expect(here.trips.map(({ zoneId }) => zoneId)).toEqual(["mains", "mains"]);
    expect(here.contactOf("mains")).toBe("normal");
  });

  test("a test report is an entry of the event log", async () => {
    const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
    await here.panel("1234").contactId("1602 00 000");
    expect(here.events).toMatchObject([
      { event: "alarm-panel-reported", detail: { code: "602", what: "test" } },
    ]);
  });
});

describe("a silent panel", () => {
  test("is one fault of all its zones, which its next message ends", async () => {
    const door = zoneOf({ id: "door", input: { dc09: "1234", zone: 5 } });
    const here = await Dc09Site.start([alarmPanelAccount("1234", { silenceS: 180 })], [hall, door]);
    const panel = here.panel("1234");
    here.clock.advance(170_000);
    await panel.supervision();
    here.clock.advance(170_000);
    expect(here.conditions).toEqual([]);
    here.clock.advance(10_000);
    expect(here.conditions).toEqual(["alarm-panel-silent/1234"]);
    expect(here.trips).toMatchObject([
      { type: "fault", cause: "supervision", subject: "fault/DC-09 1234/supervision" },
    ]);
    expect(JSON.stringify(here.trips[0]?.body)).toContain("Alarm panel unavailable: 1234 (zones: 2)");
    await panel.supervision();
    expect(here.conditions).toEqual([]);
    expect(here.trips.at(-1)).toMatchObject({ type: "fault-over" });
    expect(here.trips.at(-1)?.line).toContain("Alarm panel 1234 (zones: 2): available again");
  });
});

test("two frames with a NUL between them in one packet are read both", async () => {
  const here = await Dc09Site.start([alarmPanelAccount("1234")], [hall]);
  const frames = [wire('"ADM-CID"0001L0#1234[#1234|1130 01 004]'), Buffer.of(0), wire('"NULL"0000L0#1234[]')];
  await here.panel("1234").send(Buffer.concat(frames));
  expect(here.trips).toHaveLength(1);
});
