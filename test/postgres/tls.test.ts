import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { afterAll, beforeAll, expect, test } from "vitest";
import { TestAuthority } from "../support/certificates.ts";
import { santinela, type Outcome } from "../support/command-line.ts";
import { eventually } from "../support/eventually.ts";
import { buildingsYaml, EDGE, Installation } from "../support/installation.ts";
import { close, freePort, listen } from "../support/loopback.ts";
import { describeWithPostgres, PostgresServer } from "../support/postgres.ts";

/* TLS between a dispatch centre and its PostgreSQL, which listens on the loopback with a certificate for its address or not. */

/** The request of a client for TLS (PostgreSQL, message SSLRequest). */
const REQUEST_FOR_TLS = "0000000804d2162f";
const HOST = "127.0.0.1";

interface Status {
  readonly conditions: readonly { readonly code: string; readonly text: string }[];
}

describeWithPostgres("the connection of a dispatch centre to PostgreSQL", () => {
  let server: PostgresServer;
  let port: number;
  let name: string;
  let right: TestAuthority;
  let other: TestAuthority;
  let installation: Installation;

  beforeAll(async () => {
    port = await freePort();
    server = await PostgresServer.start([`listen_addresses=${HOST}`], port);
    name = new URL(await server.newDatabase()).pathname.slice(1);
    [right, other] = [await TestAuthority.make(), await TestAuthority.make()];
    installation = new Installation();
    installation.secret("right.pem", right.ca);
    installation.secret("other.pem", other.ca);
  });
  afterAll(async () => {
    await installation.remove();
    await server.stop();
    for (const authority of [right, other]) authority.remove();
  });

  const set = (option: string, value: string): Promise<unknown> =>
    server
      .query("postgres", `ALTER SYSTEM SET ${option} = ${value}`)
      .then(() => server.query("postgres", "SELECT pg_reload_conf()"));
  /** The server presents a new certificate for this name to all that connect from now on. */
  async function present(authority: TestAuthority, subject: string): Promise<void> {
    const { cert, key } = await authority.sign(subject);
    server.writeData("server.crt", cert);
    server.writeData("server.key", key);
    await set("ssl", "on");
    const wanted = new X509Certificate(cert).fingerprint256;
    await eventually("the new certificate", async () => (await presentedAt(port)) === wanted);
  }
  async function withdrawTls(): Promise<void> {
    await set("ssl", "off");
    await eventually("no TLS", async () => (await presentedAt(port)) === undefined);
  }

  const urlAt = (host: string, query = ""): string => `postgres://santinela@${host}:${port}/${name}${query}`;
  const check = async (yaml: string): Promise<Outcome> => {
    writeFileSync(join(installation.folder, "checked.yaml"), yaml);
    return santinela(["check-config", "--centre", "--config", "checked.yaml"], { cwd: installation.folder });
  };
  const checkWith = (authority: string, host = HOST): Promise<Outcome> =>
    check(`database: "${urlAt(host)}"\ndatabaseCaFile: ./${authority}.pem\n`);
  /** Whether each connection of the centre is encrypted. */
  async function encryptions(): Promise<boolean[]> {
    const of = "FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name = 'santinela'";
    return ((await server.query("postgres", `SELECT ssl ${of}`)) as { ssl: boolean }[]).map(({ ssl }) => ssl);
  }

  test("is made with the authority of its certificate only, and the error names the option", async () => {
    await present(right, HOST);
    const accepted = await checkWith("right");
    expect([accepted.code, accepted.stdout]).toEqual([0, expect.stringContaining("PostgreSQL")]);
    const refused = await checkWith("other");
    expect([refused.code, refused.stdout]).toEqual([
      1,
      expect.stringMatching(
        /✖ Databases: \S+checked\.yaml:1:1: .*not signed by the authority in databaseCaFile/,
      ),
    ]);
    const withoutAuthority = await check(`database: "${urlAt(HOST, "?sslmode=verify-full")}"\n`);
    expect([withoutAuthority.code, withoutAuthority.stdout]).toEqual([
      1,
      expect.stringContaining("databaseCaFile, or without that option by a public one"),
    ]);
  });

  test("is not made to a server whose certificate is for another host", async () => {
    await present(right, "db.example");
    const { code, stdout } = await checkWith("right");
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(
        /is for another host: write a name of the certificate in database .*127\.0\.0\.1 is not in/,
      ),
    ]);
    await present(right, "localhost");
    expect((await checkWith("right", "localhost")).code).toBe(0);
  });

  test("is made without TLS only if neither side requires it", async () => {
    await present(right, HOST);
    expect((await check(`database: "${urlAt(HOST)}"\n`)).code).toBe(0);
    server.writeData("pg_hba.conf", "local all all trust\nhostssl all all all trust\n");
    await server.query("postgres", "SELECT pg_reload_conf()");
    const plain = await eventually("the rule of the server", async () => {
      const outcome = await check(`database: "${urlAt(HOST)}"\n`);
      return outcome.code === 1 && outcome;
    });
    expect(plain.stdout).toContain(
      "PostgreSQL admits this machine with TLS only, or not at all: set databaseCaFile",
    );
    expect((await checkWith("right")).code).toBe(0);
    server.writeData("pg_hba.conf", "local all all trust\nhost all all all trust\n");
    await server.query("postgres", "SELECT pg_reload_conf()");
  });

  test("sends nothing but the request for TLS to a server that offers none", async () => {
    const received: string[] = [];
    const impostor = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("data", (chunk: Buffer) => {
        received.push(chunk.toString("hex"));
        socket.write("N");
      });
    });
    const at = await listen(impostor);
    installation.secret("database.password", "s3cr3t");
    const database = `postgres://santinela@${HOST}:${at}/x`;
    for (const yaml of [
      `database: ${database}\ndatabaseCaFile: ./right.pem\n`,
      `database: ${database}?sslmode=verify-full\n`,
      `database: ${database}?sslmode=require\n`,
    ]) {
      received.length = 0;
      const { code, stdout } = await check(`${yaml}databasePasswordFile: ./database.password\n`);
      expect([code, stdout]).toEqual([1, expect.stringContaining("PostgreSQL does not offer TLS")]);
      expect(new Set(received)).toEqual(new Set([REQUEST_FOR_TLS]));
    }
    await close(impostor);
  });

  test("stays encrypted, and is not made again without TLS when the server returns without it", async () => {
    await present(right, HOST);
    const yaml = `database: "${urlAt(HOST)}"\ndatabaseCaFile: ./right.pem\nsite: { ref: centre, locale: en }\nhttp: { port: 0 }\n`;
    const centre = installation.centre("centre", `${yaml}${buildingsYaml(2)}`);
    await centre.addAccount(EDGE, "administrator");
    const { httpPort } = await centre.start();
    const base = `http://127.0.0.1:${httpPort}`;
    const headers = { "Content-Type": "application/json" };
    const signIn = await fetch(`${base}/auth/token`, { method: "POST", headers, body: JSON.stringify(EDGE) });
    const { token } = (await signIn.json()) as { token: string };
    const list = (): Promise<Response> =>
      fetch(`${base}/interventii`, { headers: { Authorization: `Bearer ${token}` } });
    expect((await list()).status).toBe(200);
    const before = await encryptions();
    expect([before.length > 0, new Set(before)]).toEqual([true, new Set([true])]);

    await withdrawTls();
    await server.query(
      "postgres",
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'santinela'",
    );
    const refused = await eventually("a request is refused", async () => {
      const answer = await list();
      return answer.status === 503 && answer;
    });
    expect(refused.headers.get("Retry-After")).toBe("2");
    const { conditions } = await eventually("the condition", async () => {
      const status = await centre.get<Status>("/site/status");
      return status.conditions.length > 0 && status;
    });
    expect(conditions).toMatchObject([
      {
        code: "database-unavailable",
        text: expect.stringContaining("does not offer TLS, which databaseCaFile") as string,
      },
    ]);
    expect(await encryptions()).toEqual([]);

    await present(right, HOST);
    await eventually("its return", async () => (await list()).status === 200);
    expect(new Set(await encryptions())).toEqual(new Set([true]));
  });
});

/** Fingerprint of the certificate that a server of PostgreSQL presents to a new connection; undefined if it offers no TLS. */
async function presentedAt(port: number): Promise<string | undefined> {
  const socket = connect(port, HOST);
  socket.write(Buffer.from(REQUEST_FOR_TLS, "hex"));
  const [answer] = (await once(socket, "data")) as [Buffer];
  if (answer.toString() !== "S") {
    socket.destroy();
    return undefined;
  }
  const secured = connectTls({ socket, rejectUnauthorized: false });
  await once(secured, "secureConnect");
  const { fingerprint256 } = secured.getPeerCertificate();
  secured.destroy();
  return fingerprint256;
}
