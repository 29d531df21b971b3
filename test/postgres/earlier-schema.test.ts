import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { STEPS } from "../../src/postgres/schema.ts";
import { santinela } from "../support/command-line.ts";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

/* Processes of an earlier release may run on the database, and could not start again after a change of its schema. */

describeOnPostgres("a command on the database of a centre", (server) => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "santinela-earlier-schema-"));
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true });
  });

  const command = (url: string, ...words: string[]) => {
    const file = join(folder, "centre.yaml");
    writeFileSync(file, `dataDir: ${folder}\nsite: { ref: centre, timezone: UTC }\ndatabase: "${url}"\n`);
    return santinela([...words, "--config", file], { cwd: folder });
  };

  test("leaves the schema of an earlier release as it is, unless it is the command to change it", async () => {
    const url = await server.newDatabase();
    const centre = await PostgresCentre.open(url);
    // As the last step has left the schema; it would fail if it ran again.
    await centre.connections.query("DELETE FROM schema_steps WHERE step = $1", [STEPS.length]);
    for (const words of [
      ["user", "list"],
      ["events", "verify"],
      ["keys", "rotate"],
    ]) {
      const { code, stdout, stderr } = await command(url, ...words);
      expect([words, code, stdout]).toEqual([words, 75, ""]);
      expect(stderr).toContain(
        `the database has the schema of an earlier release: ${STEPS.length - 1} of ${STEPS.length} steps`,
      );
    }
    const [found] = await centre.connections.query<{ steps: number }>(
      "SELECT max(step) AS steps FROM schema_steps",
    );
    expect(found?.steps).toBe(STEPS.length - 1);
    expect((await command(url, "migrate")).stderr).toContain("already exists");
    await centre.close();
  });

  test("creates the schema in an empty database", async () => {
    const url = await server.newDatabase();
    expect(await command(url, "user", "list")).toMatchObject({ code: 0, stdout: "" });
    expect(await command(url, "migrate")).toMatchObject({ code: 0, stdout: "the schema is up to date\n" });
  });
});
