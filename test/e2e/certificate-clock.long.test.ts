import { join } from "node:path";
import { connect } from "node:tls";
import { expect, test } from "vitest";
import type { StatusView } from "../../src/site/status-view.ts";
import { santinela } from "../support/command-line.ts";
import { askDaemon } from "../support/control-socket.ts";
import { describeWithFakeClock, FakeClock } from "../support/fake-clock.ts";
import { Installation } from "../support/installation.ts";
import { freePort } from "../support/loopback.ts";

/** The certificate that a browser would get. */
function certificateAt(port: number): Promise<{ validFromMs: number; fingerprint: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: "127.0.0.1", port, rejectUnauthorized: false }, () => {
      const { valid_from: from, fingerprint256: fingerprint } = socket.getPeerCertificate();
      socket.destroy();
      resolve({ validFromMs: Date.parse(from), fingerprint });
    });
    socket.on("error", reject);
  });
}

describeWithFakeClock("a certificate that was issued while the clock stood in 2100", () => {
  test("is named by doctor, and issued again by the first start with the right time", async () => {
    const installation = Installation.temporary();
    const clock = new FakeClock(installation.folder);
    const port = await freePort();
    const site = installation.daemon("site", `http: { port: ${port}, tls: own }\nmqtt: off\n`);
    const doctor = async (): Promise<string> =>
      (await santinela(["doctor", "--config", "site.yaml"], { cwd: installation.folder })).stdout;
    clock.set("+74y");
    await site.start(clock.environment);
    const wrong = await certificateAt(port);
    expect(new Date(wrong.validFromMs).getUTCFullYear()).toBeGreaterThan(2098);
    await site.end("SIGTERM");
    expect(await doctor()).toMatch(/✖ Certificate: not valid before .*issued while the clock was wrong/);

    clock.set("+0s");
    await site.start(clock.environment);
    const right = await certificateAt(port);
    expect(right.validFromMs).toBeLessThanOrEqual(Date.now());
    expect(right.fingerprint).not.toBe(wrong.fingerprint);
    expect(await doctor()).toContain("✔ Certificate: valid until");
    const { conditions } = (await askDaemon(join(installation.folder, "site"), "GET", "/site/status"))
      .value as StatusView;
    expect(conditions).toContainEqual(expect.objectContaining({ code: "certificate-of-wrong-time" }));
  }, 120_000);
});
