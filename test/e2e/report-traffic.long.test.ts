import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { SiteView } from "../../src/generated/types.ts";
import { eventually } from "../support/eventually.ts";
import { EDGE, Installation } from "../support/installation.ts";
import { TcpProxy } from "../support/tcp-proxy.ts";

const COMMON = "mqtt: off\ngpio: { backend: simulated }\n";
const REPORTS = 5;

let installation: Installation;
let centre: DaemonProcess;
let line: TcpProxy;
beforeAll(async () => {
  installation = new Installation();
  centre = installation.daemon(
    "centre",
    `http: { port: 0, tls: own }\n${COMMON}objectives: { obiective/cladiri: [{ id: 12, name: Hala Nord }] }\n`,
  );
  await centre.addAccount(EDGE, "operator");
  installation.secret("upstream.password", EDGE.password);
  const { httpPort } = await centre.start();
  installation.secret("ca.crt", readFileSync(join(installation.folder, "centre", "tls", "ca.crt"), "utf8"));
  line = new TcpProxy(httpPort);
  const address = (await line.start()).replace("http:", "https:");
  const zones = Array.from(
    { length: 12 },
    (_, number) =>
      `{ id: zone-${number}, name: Zona ${number}, kind: intrusion, objective: { type: obiective/cladiri, id: 12 }, input: { simulated: true } }`,
  );
  const site = installation.daemon(
    "site",
    `site: { ref: hala-nord, name: Hala Nord }
http: { port: 0 }
${COMMON}upstream: { baseUrl: "${address}", email: ${EDGE.email}, passwordFile: ./upstream.password, caFile: ./ca.crt, reportS: 1, objectives: "off" }
zones: [${zones.join(", ")}]
`,
  );
  await site.start();
});
afterAll(async () => {
  await installation.remove();
  await line.stop();
});

async function nextReport(after?: string): Promise<string> {
  return eventually("the next report", async () => {
    const [site] = await centre.get<SiteView[]>("/sites");
    return site && site.reportedAt !== after && site.reportedAt;
  });
}

/** Headers of TCP and IPv4 with time stamps, of the request, the answer and the last acknowledgement: 3 × 52 bytes. */
const PACKETS_BYTES = 156;
/** With one report a minute. */
const REPORTS_A_MONTH = 30 * 24 * 60;

test("reports over TLS take less than 40 MB a month, on one kept connection", async () => {
  // The first requests of a start, and those to a new centre, are over.
  let last = await nextReport();
  for (let report = 0; report < 4; report += 1) last = await nextReport(last);
  const [bytes, connections] = [line.bytes, line.connections];
  for (let report = 0; report < REPORTS; report += 1) last = await nextReport(last);
  const each = (line.bytes - bytes) / REPORTS;
  expect(line.connections).toBe(connections);
  expect(each).toBeGreaterThan(300);
  process.stdout.write(`${Math.round(each)} bytes over TLS for one report and its answer\n`);
  expect((each + PACKETS_BYTES) * REPORTS_A_MONTH).toBeLessThan(40e6);
});
