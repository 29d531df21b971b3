import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { MIGRATION_LOCK } from "../../src/postgres/migrations.ts";
import { santinela as run, type Outcome } from "../support/command-line.ts";
import { freePort } from "../support/loopback.ts";
import { describeOnPostgres } from "../support/postgres.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* `check-config --centre`: what an administrator learns about the file of a dispatch centre before its restart. */

let folder: string;
beforeEach(() => (folder = temporaryFolder()));

const santinela = (line: string): Promise<Outcome> => run(line.split(" "), { cwd: folder });
const check = (yaml: string, more = ""): Promise<Outcome> => {
  writeFileSync(join(folder, "centre.yaml"), yaml);
  return santinela(`check-config --centre --config centre.yaml${more}`);
};

describe("the file of a dispatch centre", () => {
  test("is valid, with its database and its objectives", async () => {
    const yaml = "objectives: { obiective/cladiri: [ { id: 1, name: A }, { id: 2, name: B } ] }\n";
    const { code, stdout } = await check(yaml);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/centre\.yaml is valid: dispatch centre on SQLite, 2 objectives, data in \S+\n$/),
    ]);
    expect(JSON.parse((await check(yaml, " --json")).stdout)).toMatchObject({
      valid: true,
      objectives: 2,
      database: "SQLite",
    });
  });

  test("has each section of a site as an error at its place, which the file of a site has not", async () => {
    const yaml = "http: { port: 1 }\nzones: []\n  \nmqtt: off\nfleet: { silentS: 1 }\n";
    expect(await check(yaml)).toMatchObject({ code: 78, stdout: "" });
    expect((await check(yaml)).stderr).toMatch(/centre\.yaml:5:10: fleet\.silentS: 1 is out of range/);
    const sections = await check(yaml.replace("silentS: 1", "silentS: 9"));
    expect(sections.code).toBe(78);
    expect(sections.stderr).toMatch(
      /centre\.yaml:2:1: zones: a dispatch centre has no zones.*\n.*:4:1: mqtt: /,
    );
    expect((await santinela("check-config --config centre.yaml")).code).toBe(0);
    expect(JSON.parse((await check("zones: []\n", " --json")).stdout)).toMatchObject({
      valid: false,
      errors: [{ place: expect.stringMatching(/:1:1$/) as string }],
    });
  });

  test("is not the file of a site, whose check names its database at its place", async () => {
    const yaml = "http: { port: 1 }\ndatabase: postgres://u:s3cr3t@127.0.0.1:5432/x\n";
    writeFileSync(join(folder, "site.yaml"), yaml);
    for (const command of ["check-config", "serve"]) {
      const { code, stdout, stderr } = await santinela(`${command} --config site.yaml`);
      expect([code, stdout]).toEqual([78, ""]);
      expect(stderr).toMatch(
        /site\.yaml:2:1: database: only a dispatch centre has it.* Remove it, or run santinela centre/,
      );
      expect(stderr).not.toContain("s3cr3t");
    }
    expect(JSON.parse((await santinela("check-config --json --config site.yaml")).stdout)).toMatchObject({
      valid: false,
      errors: [{ place: expect.stringMatching(/site\.yaml:2:1$/) as string }],
    });
    // Commands of a dispatch centre still read it.
    expect((await santinela("config show --config site.yaml")).code).toBe(0);
  });

  test("is found where a centre looks for it", async () => {
    mkdirSync(join(folder, "santinela"));
    writeFileSync(join(folder, "santinela", "centre.yaml"), "sites: {}\n");
    const { code, stderr } = await santinela("check-config --centre");
    expect([code, stderr]).toEqual([78, expect.stringMatching(/centre\.yaml:1:1: sites: unknown option/)]);
  });

  test("is not checked with options of the other role", async () => {
    expect((await check("{}", " --try-centre")).code).toBe(64);
    expect((await santinela("check-config --offline --config centre.yaml")).code).toBe(64);
  });

  test("has a certificate authority for its database that can be read, and that the URL does not contradict", async () => {
    const database = "database: postgres://u@db.example/x";
    writeFileSync(join(folder, "ca.pem"), "not a certificate\n");
    const errors = async (yaml: string): Promise<string> => {
      const { code, stderr } = await check(yaml, " --offline");
      expect(code, yaml).toBe(78);
      return stderr;
    };
    expect(await errors("databaseCaFile: ./ca.pem\n")).toMatch(
      /centre\.yaml:1:1: databaseCaFile: databaseCaFile needs database/,
    );
    expect(await errors(`${database}\ndatabaseCaFile: ./ca.pem\n`)).toMatch(
      /centre\.yaml:2:1: databaseCaFile: \S+ca\.pem is not a readable certificate in PEM format/,
    );
    expect(await errors(`${database}\ndatabaseCaFile: ./none.pem\n`)).toMatch(/none\.pem is not .*ENOENT/);
    for (const parameter of ["sslmode=disable", "a=1&ssl=0", "%73slmode=disable", "uselibpqcompat=true"])
      expect(await errors(`${database}?${parameter}\ndatabaseCaFile: ./ca.pem\n`)).toMatch(
        /centre\.yaml:1:1: database: (sslmode|ssl|uselibpqcompat) in the URL and databaseCaFile exclude each other/,
      );
  });

  test("names a database that does not respond at its line, unless it is not to be asked", async () => {
    const yaml = `http: { port: 1 }\ndatabase: postgres://u:s3cr3t@127.0.0.1:${await freePort()}/x\n`;
    const { code, stdout, stderr } = await check(yaml);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("the file is valid, but a dispatch centre cannot start"),
    ]);
    expect(stdout).toMatch(/✖ Databases: \S+centre\.yaml:2:1: PostgreSQL: .*ECONNREFUSED/);
    expect(stdout).toContain("dispatch centre on postgres://u@127.0.0.1:");
    const offline = await check(yaml, " --offline");
    expect([offline.code, offline.stdout.includes("Databases")]).toEqual([0, false]);
    expect(stdout + stderr + offline.stdout + offline.stderr).not.toContain("s3cr3t");
  });
});

describeOnPostgres("the PostgreSQL of a dispatch centre", (server) => {
  beforeAll(async () => {
    await server.query("postgres", "CREATE ROLE guarded LOGIN PASSWORD 'right'");
    await server.query("postgres", "CREATE DATABASE guarded");
    const file = join(server.folder, "data", "pg_hba.conf");
    writeFileSync(file, `local all guarded scram-sha-256\n${readFileSync(file, "utf8")}`);
    await server.query("postgres", "SELECT pg_reload_conf()");
  });

  test("is signed in to with the secret of the file, before the first start and after it", async () => {
    const database = `database: postgres://guarded@${encodeURIComponent(server.folder)}/guarded\n`;
    const checked = (password: string): Promise<Outcome> => {
      writeFileSync(join(folder, "pw"), password, { mode: 0o600 });
      return check(`${database}databasePasswordFile: ./pw\n`);
    };
    const wrong = await checked("wrong");
    expect(wrong.code).toBe(1);
    expect(wrong.stdout).toMatch(
      /✖ Databases: \S+:1:1: PostgreSQL: .*password authentication failed for user "guarded"/,
    );
    const powerless = await checked("right");
    expect([powerless.code, powerless.stdout]).toEqual([
      1,
      expect.stringContaining("does not let the role create tables"),
    ]);
    await server.query("postgres", "ALTER DATABASE guarded OWNER TO guarded");
    const empty = await checked("right");
    expect([empty.code, empty.stdout]).toEqual([
      0,
      expect.stringContaining("empty: the first start creates the schema"),
    ]);
    expect((await santinela("migrate --config centre.yaml")).code).toBe(0);
    const ready = await checked("right");
    expect([ready.code, ready.stdout]).toEqual([0, expect.stringContaining("schema up to date")]);
    const updater = new pg.Client({ host: server.folder, user: "santinela", database: "guarded" });
    await updater.connect();
    await updater.query("SELECT pg_advisory_lock($1)", [MIGRATION_LOCK]);
    const updating = await checked("right");
    expect([updating.code, updating.stdout]).toEqual([
      0,
      expect.stringContaining("the schema is being updated"),
    ]);
    await updater.end();
    await server.query("guarded", "INSERT INTO schema_steps(step, at) VALUES(1000, now())");
    const newer = await checked("right");
    expect([newer.code, newer.stdout]).toEqual([1, expect.stringContaining("the schema of a newer release")]);
  });

  test("must let the role see when commits wait for a standby", async () => {
    await server.query("postgres", `CREATE ROLE "Owner"; CREATE ROLE visitor LOGIN IN ROLE "Owner"`);
    await server.query("postgres", `CREATE DATABASE visited OWNER "Owner"`);
    const database = `database: postgres://visitor@${encodeURIComponent(server.folder)}/visited\n`;
    const isWarned = /▲ Standby: the role "Owner" does not see .*GRANT pg_read_all_stats TO "Owner";/s;
    expect((await check(database)).stdout).not.toMatch(isWarned);
    await server.query("postgres", `ALTER ROLE visitor SET role TO "Owner"`);
    const blind = await check(database);
    expect([blind.code, blind.stdout]).toEqual([0, expect.stringMatching(isWarned)]);
    const doctor = await santinela("doctor --config centre.yaml");
    expect(doctor.stdout).toMatch(isWarned);
    await server.query("postgres", `GRANT pg_read_all_stats TO "Owner"`);
    const seeing = await check(database);
    expect([seeing.code, seeing.stdout.includes("pg_read_all_stats")]).toEqual([0, false]);
  });
});
