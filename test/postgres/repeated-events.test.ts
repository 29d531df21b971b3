import { afterAll, beforeAll, expect, test } from "vitest";
import { AppError } from "../../src/domain/errors.ts";
import { EventNotes } from "../../src/service/event-notes.ts";
import { eventually } from "../support/eventually.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

const EVENT = { who: "ana@example.ro", from: "192.0.2.7", detail: { before: "a\u0000b" } } as const;

describeOnPostgres("an event whose commit had no answer", (server) => {
  let centre: PostgresCentre;
  beforeAll(async () => {
    centre = await PostgresCentre.open(await server.newDatabase());
  });
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
});
