import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { AppError } from "../../src/domain/errors.ts";
import { PostgresConnections } from "../../src/postgres/connection.ts";
import { PostgresEvents } from "../../src/postgres/postgres-events.ts";
import { EventNotes } from "../../src/service/event-notes.ts";
import { eventually } from "../support/eventually.ts";
import { setStandby } from "../support/missing-standby.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

const EVENT = { who: "ana@example.ro", from: "192.0.2.7", detail: { before: "a\u0000b" } } as const;

describeOnPostgres("an event whose commit had no answer", (server) => {
  let url: string;
  let centre: PostgresCentre;
  beforeAll(async () => {
    url = await server.newDatabase();
    centre = await PostgresCentre.open(url);
  });
  afterEach(() => setStandby(server, ""));
  afterAll(() => centre.close());

  test("is in the log and in the audit trail once when it is sent again", async () => {
    const { clock, events, log } = centre;
    let sent = 0;
    const add: typeof events.add = async (...given) => {
      sent += 1;
      // The first of them is refused, the others are stored.
      if (sent > 1) await events.add(...given);
      if (sent <= 3) throw new AppError("unavailable", "no answer");
    };
    const notes = new EventNotes({ events: { add }, clock, log });
    notes.note({ ...EVENT, event: "account-disabled", subject: "account b" });
    notes.note({ ...EVENT, event: "intervention-changed", subject: "intervention 1" });
    notes.note({ ...EVENT, event: "account-enabled", subject: "account c" });
    await eventually("each is sent again", () => {
      clock.advance(100);
      return sent >= 6;
    });
    await eventually("all are stored", async () => (await centre.settledEvents(10)).length >= 3);
    expect((await centre.settledEvents(10)).map(({ subject }) => subject).toSorted()).toEqual([
      "account b",
      "account c",
      "intervention 1",
    ]);
    const trail = await centre.connections.query("SELECT subject FROM audit ORDER BY subject");
    expect(trail).toEqual([{ subject: "account b" }, { subject: "account c" }]);
    notes.stop();
  });

  test.each(["intervention-changed", "account-disabled"] as const)(
    "is in the log once while %s still waits for a standby",
    async (event) => {
      // Gives up a write before the server shows that it waits, as when the connection is lost.
      const connections = new PostgresConnections({ url }, centre.log, undefined, { queryMs: 500 });
      const events = new PostgresEvents(connections, centre.clock);
      const add = (isRepeated: boolean) =>
        events.add({ ...EVENT, event, subject: `unconfirmed ${event}` }, 1, isRepeated);
      await setStandby(server, "missing");
      await expect(add(false)).rejects.toMatchObject({ code: "unavailable" });
      for (let attempt = 0; attempt < 3; attempt += 1)
        await expect(add(true)).rejects.toMatchObject({ code: "unavailable" });
      await setStandby(server, "");
      await eventually("the event is written", () =>
        add(true).then(
          () => true,
          () => false,
        ),
      );
      const stored = await centre.settledEvents(20);
      expect(stored.filter(({ subject }) => subject === `unconfirmed ${event}`)).toHaveLength(1);
      await connections.close();
    },
  );
});
