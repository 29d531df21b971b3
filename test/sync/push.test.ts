import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { AppError } from "../../src/domain/errors.ts";
import type { Intervention } from "../../src/domain/intervention.ts";
import { TestApp, OPERATOR_USER } from "../support/app.ts";
import { SyncingSite } from "../support/syncing-site.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

/* The application is the dispatch centre, behind a proxy that fails on demand. */

let centre: TestApp;
let line: TcpProxy;
let site: SyncingSite;

beforeEach(async () => {
  centre = await TestApp.forTest();
  line = new TcpProxy(await centre.listen());
  site = new SyncingSite(await TestApp.make(), await line.start());
});
afterEach(async () => {
  await line.stop();
  await site.close();
});

const there = (): Intervention[] => centre.records();

describe("with the link up", () => {
  test("a record is sent with all its fields and the reference of the site", async () => {
    const record = site.create(
      { notes: "ring twice", crews: 2, police: true, dateStart: "2026-11-20T23:30:00" },
      "key-1",
    );
    await site.push.cycle();
    expect(there()).toEqual([{ ...record, id: expect.any(Number), notes: "ring twice\n[ref:test-key-1]" }]);
    expect(site.entry(record.id)).toMatchObject({
      phase: "linked",
      syncedRev: 1,
      wantRev: 1,
      upstreamId: there()[0]?.id,
    });
    expect(site.app.interventions.get(record.id).record.notes).toBe("ring twice");
    expect(site.logLines.join("")).toMatch(/"event":"record-synced","interventionId":1,"outcome":"applied"/);
  });

  test("an arrival is in the event log once, with the number there", async () => {
    const { id } = site.create();
    const arrivals = () => site.app.events.newest(20).filter(({ event }) => event === "record-arrived");
    expect(arrivals()).toEqual([]);
    await site.push.cycle();
    site.app.interventions.update(id, { crews: 4 }, OPERATOR_USER);
    await site.push.cycle();
    expect(arrivals()).toMatchObject([
      {
        who: "sync",
        from: "dispatch centre",
        subject: `intervention ${id}`,
        detail: { upstreamId: there()[0]?.id },
      },
    ]);
  });

  test("an update sends only changed fields, so that changes of the dispatch centre remain", async () => {
    const { id } = site.create();
    await site.push.cycle();
    const upstreamId = there()[0]?.id ?? 0;
    centre.interventions.update(upstreamId, { crews: 5 }, OPERATOR_USER);
    site.app.interventions.update(id, { status: "done" }, OPERATOR_USER);
    await site.push.cycle();
    expect(there()).toMatchObject([{ status: "done", crews: 5 }]);
    expect(site.app.interventions.get(id).record).toMatchObject({ status: "done", crews: 5 });
    expect(site.entry(id)).toMatchObject({ phase: "linked", syncedRev: 3, wantRev: 3 });
  });

  test("a deletion deletes the record there, and succeeds if it is already deleted", async () => {
    const [first, second] = [site.create(), site.create()];
    await site.push.cycle();
    centre.interventions.delete(there()[1]?.id ?? 0, OPERATOR_USER);
    site.app.interventions.delete(first.id, OPERATOR_USER);
    site.app.interventions.delete(second.id, OPERATOR_USER);
    await site.push.cycle();
    expect(there()).toEqual([]);
    // The centre tells that it was deleted, so no second read is needed.
    expect([site.entry(first.id).phase, site.entry(second.id).phase]).toEqual(["closed", "closed"]);
  });

  test("high priority is sent first, newest first, then the others in order of creation", async () => {
    site.create({ name: "low", priority: "low" });
    site.create({ name: "medium" });
    site.create({ name: "high 1", priority: "high" });
    site.create({ name: "high 2", priority: "high" });
    await site.push.cycle();
    expect(there().map(({ name }) => name)).toEqual(["high 2", "high 1", "medium", "low"]);
  });

  test("a token that the dispatch centre no longer accepts is replaced without losing the record", async () => {
    site.create();
    await site.push.cycle();
    centre.database.exec("UPDATE accounts SET token_version = token_version + 1");
    site.create();
    await site.push.cycle();
    expect(there()).toHaveLength(2);
    expect(site.conditions()).toEqual([]);
  });

  test("an edit during a request is sent afterwards", async () => {
    const { id } = site.create();
    site.atFailpoint = (name) => {
      if (name !== "sync-answered") return;
      site.atFailpoint = () => {};
      site.app.interventions.update(id, { crews: 3 }, OPERATOR_USER);
    };
    await site.push.cycle();
    expect(there()).toMatchObject([{ crews: 3 }]);
    expect(site.entry(id)).toMatchObject({ phase: "linked", wantRev: 2, syncedRev: 2 });
  });

  test("a record deleted during its POST is deleted there", async () => {
    const { id } = site.create();
    site.atFailpoint = (name) => {
      if (name !== "sync-posting-committed") return;
      site.atFailpoint = () => {};
      site.app.interventions.delete(id, OPERATOR_USER);
    };
    await site.push.cycle();
    expect(there()).toEqual([]);
    expect(site.entry(id).phase).toBe("closed");
  });
});

describe("with the link down", () => {
  test("changes are queued and combined, and each record is there once with its final content when the link is back", async () => {
    line.mode = "refuse";
    const kept = site.create();
    const dropped = site.create();
    await site.push.cycle();
    expect(site.conditions()).toEqual(["upstream-unreachable"]);
    for (let crews = 2; crews <= 9; crews += 1)
      site.app.interventions.update(kept.id, { crews }, OPERATOR_USER);
    site.app.interventions.delete(dropped.id, OPERATOR_USER);
    await site.cycleAfterWait();
    expect(site.outbox.summary().waiting).toBeGreaterThan(0);

    line.mode = "carry";
    await site.cycleAfterWait();
    await site.cycleAfterWait();
    expect(there()).toMatchObject([{ crews: 9 }]);
    expect(site.conditions()).toEqual([]);
    expect(site.outbox.summary()).toMatchObject({ waiting: 0, rejected: 0 });
  });

  test("one record is attempted and the others wait", async () => {
    line.mode = "refuse";
    for (let count = 0; count < 10; count += 1) site.create();
    await site.push.cycle();
    expect(line.connections).toBe(1);
    await site.push.cycle();
    expect(line.connections).toBe(1);
  });

  test("the back-off grows with every failure, at random below a ceiling", async () => {
    line.mode = "refuse";
    site.create();
    const waits: number[] = [];
    for (let count = 0; count < 10; count += 1) {
      await site.push.cycle();
      waits.push(site.link.state.waitMs);
      site.app.clock.advance(site.link.state.waitMs);
    }
    // Half of 5 s, 10 s, 20 s … with the fixed random number, at most half of ten minutes.
    expect(waits.map(Math.round)).toEqual([
      2500, 5000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 300_000,
    ]);
  });

  test("a record deleted before it was sent leaves no trace there", async () => {
    const { id } = site.create();
    site.app.interventions.delete(id, OPERATOR_USER);
    await site.push.cycle();
    expect(line.connections).toBe(0);
    expect(there()).toEqual([]);
  });

  test("a restart continues where it was", async () => {
    line.mode = "refuse";
    site.create();
    await site.push.cycle();
    site.restart();
    line.mode = "carry";
    await site.cycleAfterWait();
    expect(there()).toHaveLength(1);
  });
});

describe("an unconfirmed record", () => {
  /** From right before the POST of the record, the link carries requests and ends before the response. */
  const loseAnswers = (): void => {
    site.atFailpoint = (name) => {
      if (name === "sync-posting-committed") line.mode = "cut-answer";
    };
  };

  test("that arrived is found there and no second one is created", async () => {
    loseAnswers();
    const { id } = site.create();
    await site.push.cycle();
    expect(site.entry(id)).toMatchObject({ phase: "unsure", sends: 1, possiblyDuplicated: true });
    line.mode = "carry";
    let posts = 0;
    site.atFailpoint = () => (posts += 1);
    await site.cycleAfterWait();
    expect(there()).toHaveLength(1);
    expect(posts).toBe(0);
    expect(site.entry(id)).toMatchObject({ phase: "linked", syncedRev: 1, upstreamId: there()[0]?.id });
  });

  test("stays unconfirmed when the second attempt was not sent", async () => {
    loseAnswers();
    const { id } = site.create();
    await site.push.cycle();
    expect(site.entry(id).phase).toBe("unsure");
    await line.stop();
    site.app.clock.advance(600_000);
    await site.push.cycle();
    expect(site.entry(id)).toMatchObject({ phase: "unsure", attempt: { key: expect.any(String) } });
    line = new TcpProxy(0);
    await line.start();
  });

  test.each(["sync-posting-committed", "sync-answered"])(
    "after a crash at %s is one record",
    async (failpoint) => {
      const { id } = site.create();
      site.atFailpoint = (name) => {
        // An error of the database ends the work where it is, as the end of the process does.
        if (name === failpoint) throw new AppError("storage", "the process dies here");
      };
      await expect(site.push.cycle()).rejects.toThrow("the process dies here");
      site.atFailpoint = () => {};
      expect(site.entry(id).phase).toBe("posting");
      site.restart();
      expect(site.entry(id).phase).toBe("unsure");
      await site.cycleAfterWait();
      expect(there()).toHaveLength(1);
      expect(site.entry(id).phase).toBe("linked");
    },
  );

  test("that is deleted meanwhile is deleted once the attempt is confirmed", async () => {
    site.create();
    await site.push.cycle();
    loseAnswers();
    const { id } = site.create();
    await site.push.cycle();
    site.app.interventions.delete(id, OPERATOR_USER);
    site.atFailpoint = () => {};
    line.mode = "carry";
    site.app.clock.advance(600_000);
    await site.push.cycle();
    expect(there()).toHaveLength(1);
    expect(site.entry(id).phase).toBe("closed");
  });
});

describe("when the dispatch centre rejects", () => {
  test("an unknown objective, the record is blocked and visible, delays no other, and is sent later", async () => {
    centre.database.exec("DELETE FROM objectives WHERE kind = 'obiective/bunuri'");
    const blocked = site.create({ objectiveType: "obiective/bunuri" });
    const other = site.create();
    await site.push.cycle();
    expect(site.entry(blocked.id)).toMatchObject({
      phase: "blocked",
      lastCode: "404",
      lastError: expect.stringMatching(/objective 1 does not exist/),
    });
    expect(site.entry(other.id).phase).toBe("linked");
    expect(site.conditions()).toEqual(["upstream-rejects-records"]);

    centre.database.exec(
      "INSERT INTO objectives VALUES('obiective/bunuri', 1, '{\"id\":1,\"name\":\"Truck\"}', 'config')",
    );
    site.app.clock.advance(899_000);
    await site.push.cycle();
    expect(site.entry(blocked.id).phase).toBe("blocked");
    site.app.clock.advance(2_000);
    await site.push.cycle();
    expect(site.entry(blocked.id).phase).toBe("linked");
    expect(site.conditions()).toEqual([]);
  });

  test("a record that it has deleted, the record is deleted upstream and not created again", async () => {
    const { id } = site.create();
    await site.push.cycle();
    centre.interventions.delete(there()[0]?.id ?? 0, OPERATOR_USER);
    site.app.interventions.update(id, { crews: 2 }, OPERATOR_USER);
    await site.push.cycle();
    expect(site.outbox.summary()).toMatchObject({ doubtful: 0, gone: 1 });
    await site.cycleAfterWait();
    expect(site.entry(id).phase).toBe("gone");
    expect(there()).toEqual([]);
    expect(site.conditions()).toEqual(["upstream-rejects-records"]);
  });

  test("the sign-in, a condition is raised and it is not retried constantly", async () => {
    centre.database.exec("UPDATE accounts SET disabled = 1");
    const { id } = site.create({ priority: "high" });
    await site.push.cycle();
    expect(site.conditions()).toEqual(["upstream-authentication-failed"]);
    expect(site.link.state.waitMs).toBeGreaterThanOrEqual(60_000);
    site.link.probeForAlarm();
    expect(site.link.state.waitMs).toBeGreaterThanOrEqual(60_000);
    expect(site.entry(id)).toMatchObject({ phase: "new", sends: 0 });
    centre.database.exec("UPDATE accounts SET disabled = 0");
    await site.cycleAfterWait();
    expect(site.entry(id).phase).toBe("linked");
  });

  test("the permissions of the account, nothing is lost and it waits a quarter of an hour", async () => {
    centre.database.exec("UPDATE accounts SET role = 'viewer'");
    const { id } = site.create();
    await site.push.cycle();
    expect(site.link.state.waitMs).toBe(900_000);
    expect(site.entry(id).phase).toBe("new");
    centre.database.exec("UPDATE accounts SET role = 'operator'");
    await site.cycleAfterWait();
    expect(there()).toHaveLength(1);
  });
});
