import { readFileSync } from "node:fs";
import { request } from "node:https";
import { connect as connectTcp } from "node:net";
import { join } from "node:path";
import { connect, type TLSSocket } from "node:tls";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { SyncView } from "../../src/site/sync-view.ts";
import { eventually } from "../support/eventually.ts";
import { countByObjective, EDGE, Installation, interventionsOf } from "../support/installation.ts";

const OBJECTIVES = "objectives: { obiective/cladiri: [{ id: 1, name: Hall }, { id: 2, name: Yard }] }\n";
const ZONES = `zones:
  - { id: hall, name: Hall, kind: intrusion, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } }
  - { id: yard, name: Yard, kind: intrusion, objective: { type: obiective/cladiri, id: 2 }, input: { simulated: true } }
`;
const COMMON = "mqtt: off\ngpio: { backend: simulated }\n";

const installation = Installation.temporary(afterAll);
let centre: DaemonProcess;
let centrePort: number;
let authority: string;
beforeAll(async () => {
  centre = installation.daemon("centre", `http: { port: 0, tls: own }\n${COMMON}${OBJECTIVES}`);
  await centre.addAccount(EDGE, "operator");
  installation.secret("upstream.password", EDGE.password);
  centrePort = (await centre.start()).httpPort;
  authority = readFileSync(join(installation.folder, "centre", "tls", "ca.crt"), "utf8");
});

function ask(path: string, ca?: string): Promise<{ status: number | undefined; body: string }> {
  return new Promise((resolve, reject) => {
    request(
      { host: "127.0.0.1", port: centrePort, path, agent: false, ...(ca === undefined ? {} : { ca }) },
      (response) => {
        let body = "";
        response.on("data", (chunk: Buffer) => (body += chunk.toString()));
        response.on("end", () => resolve({ status: response.statusCode, body }));
      },
    )
      .on("error", reject)
      .end();
  });
}

describe("the API with a self-signed certificate", () => {
  test("is available only to clients that trust its authority", async () => {
    expect((await ask("/interventii", authority)).status).toBe(401);
    await expect(ask("/interventii")).rejects.toThrow(/certificate/);
    expect(await ask("/site/ca.crt", authority)).toEqual({ status: 200, body: authority });
  });

  test.each(["ECDHE-ECDSA-AES128-SHA256", "ECDHE-ECDSA-AES256-SHA384", "ECDHE-ECDSA-AES128-SHA"])(
    "does not accept TLS 1.2 with %s, whose encryption is not authenticated",
    async (ciphers) => {
      const handshake = new Promise((resolve, reject) => {
        const options = {
          host: "127.0.0.1",
          port: centrePort,
          ca: authority,
          ciphers,
          maxVersion: "TLSv1.2",
        } as const;
        const socket = connect(options, () => {
          resolve(socket.getCipher().standardName);
          socket.destroy();
        });
        socket.on("error", reject);
      });
      await expect(handshake).rejects.toThrow(/handshake failure/);
    },
  );

  test("accepts TLS 1.2 and later, and no plain HTTP", async () => {
    const version = (maxVersion: "TLSv1.1" | "TLSv1.2" | "TLSv1.3"): Promise<string | null> =>
      new Promise((resolve, reject) => {
        const options = { host: "127.0.0.1", port: centrePort, ca: authority, maxVersion } as const;
        const old =
          maxVersion === "TLSv1.1" ? { minVersion: "TLSv1" as const, ciphers: "ALL@SECLEVEL=0" } : {};
        const socket: TLSSocket = connect({ ...options, ...old }, () => {
          resolve(socket.getProtocol());
          socket.destroy();
        });
        socket.on("error", reject);
      });
    expect(await version("TLSv1.3")).toBe("TLSv1.3");
    expect(await version("TLSv1.2")).toBe("TLSv1.2");
    await expect(version("TLSv1.1")).rejects.toThrow(/protocol version|handshake/i);
    const plain = await new Promise<string>((resolve) => {
      let answer = "";
      const socket = connectTcp(centrePort, "127.0.0.1", () =>
        socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
      );
      socket.on("data", (chunk) => (answer += chunk.toString("latin1")));
      socket.on("error", () => {});
      socket.on("close", () => resolve(answer));
    });
    expect(plain).not.toMatch(/HTTP/);
  });
});

test("a trip reaches a dispatch centre with TLS once, from a site with TLS; with another authority it waits", async () => {
  const upstream = (caFile: string) =>
    `upstream: { baseUrl: "https://127.0.0.1:${centrePort}", email: ${EDGE.email}, passwordFile: ./upstream.password${caFile} }\n`;
  const yaml = `site: { ref: s1 }\nhttp: { port: 0, tls: own }\n${COMMON}${OBJECTIVES}${ZONES}`;
  const mistrusting = installation.daemon("site", yaml + upstream(""));
  await mistrusting.start();
  await mistrusting.run(["trip", "--zone", "hall"]);
  await eventually("the condition of the rejected list", async () => {
    const { link, summary } = await mistrusting.get<SyncView>("/site/sync");
    expect(summary.waiting).toBe(1);
    expect(link).toMatchObject({
      state: "down",
      reason: expect.stringMatching(/certificate|issuer/i) as string,
    });
    return true;
  });
  expect(await interventionsOf(centre)).toEqual([]);
  await mistrusting.end("SIGTERM");

  const trusting = installation.daemon("site", yaml + upstream(", caFile: ./centre/tls/ca.crt"));
  await trusting.start();
  await trusting.run(["trip", "--zone", "yard"]);
  await eventually("both trips at the centre", async () => {
    expect(countByObjective(await interventionsOf(centre))).toEqual(
      new Map([
        [1, 1],
        [2, 1],
      ]),
    );
    return true;
  });
  await trusting.end("SIGTERM");
});
