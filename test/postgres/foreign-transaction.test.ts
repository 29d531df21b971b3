import { request } from "node:http";
import { join } from "node:path";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { SystemClock } from "../../src/ops/system-clock.ts";
import { CentreInProcess } from "../support/centre-in-process.ts";
import { eventually } from "../support/eventually.ts";
import { describeOnPostgres } from "../support/postgres.ts";

/* Another database of the server has a transaction that writes for minutes, such as a nightly import. */

const RECORD = { name: "Door", objectiveType: "obiective/cladiri", objectiveId: 1 };

describeOnPostgres("a centre beside a long transaction of another database", (server) => {
  test("tells open pages of each change at once", async () => {
    const centre = await CentreInProcess.start(await server.newDatabase(), new SystemClock());
    onTestFinished(() => centre.stop());
    const other = new pg.Client({ connectionString: await server.newDatabase() });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query("BEGIN");
    await other.query("SELECT pg_current_xact_id()");

    let received = "";
    const stream = request(
      { socketPath: join(centre.dataDir, "control.sock"), path: "/site/events" },
      (response) => response.setEncoding("utf8").on("data", (text: string) => (received += text)),
    );
    stream.on("error", () => {});
    stream.end();
    onTestFinished(() => void stream.destroy());
    await eventually("the first state", () => received.includes("event: status"));
    for (let count = 1; count <= 3; count += 1) {
      received = "";
      await centre.ask("POST", "/interventii", RECORD);
      const beganMs = performance.now();
      await eventually("a message of the change", () => received.includes("event: journal"));
      expect(performance.now() - beganMs).toBeLessThan(5_000);
    }
    // The event log shows them when they are settled, with a message.
    received = "";
    await other.query("COMMIT");
    await eventually("a message of the log", () => received.includes("event: journal"));
  });
});
