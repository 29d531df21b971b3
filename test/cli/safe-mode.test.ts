import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { fallbackAddress } from "../../src/config/fallback-address.ts";
import { describeWithBrowser, PANEL_HOST, startBrowser } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { Installation, MAIN } from "../support/installation.ts";
import { PanelPage } from "../support/panel-page.ts";
import { accessibilityFaults, clippedParts } from "../support/accessibility-checks.ts";

let installation: Installation;
let file: string;
let process_: ChildProcessWithoutNullStreams | undefined;
beforeEach(() => {
  installation = Installation.temporary();
  file = join(installation.folder, "site.yaml");
});
afterEach(() => process_?.kill("SIGKILL"));

/** Starts the page. @returns its port */
async function start(yaml: string): Promise<number> {
  writeFileSync(file, yaml);
  const started = spawn(process.execPath, [MAIN, "safe-mode", "--config", file]);
  process_ = started;
  let output = "";
  started.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const line = await eventually("the page to be there", () => /^.*"safe-mode".*$/m.exec(output)?.[0]);
  return (JSON.parse(line) as { port: number }).port;
}

const BROKEN = `http: { port: 0, hosts: [${PANEL_HOST}] }\nzones:\n  - { id: <b>door, knd: fire }\n`;

describe("with a configuration that prevents a start", () => {
  test("a page lists each error with file, line and column, and follows changes of the file", async () => {
    const port = await start(BROKEN);
    const getPage = (): Promise<Response> =>
      fetch(`http://127.0.0.1:${port}/`, { headers: { Accept: "text/html" } });
    const answer = await getPage();
    expect(answer.status).toBe(503);
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    const page = await answer.text();
    expect(page).toContain(`${file}:3:`);
    expect(page).not.toContain("<b>door");
    writeFileSync(file, "http: { port: 0 }\n");
    expect(await (await getPage()).text()).toContain("The configuration is valid now");
  });

  test("programs get the error body, and an unknown host name gets nothing", async () => {
    const port = await start(BROKEN);
    const answer = await fetch(`http://127.0.0.1:${port}/interventii`);
    expect(answer.status).toBe(503);
    expect(await answer.json()).toMatchObject({ statusCode: 503, error: "Service Unavailable" });
    const stranger = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { Host: "elsewhere.example", Accept: "text/html" };
      get({ host: "127.0.0.1", port, headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on("error", reject);
    });
    expect(stranger).toBe(400);
  });

  test("it stops in order at a signal", async () => {
    await start(BROKEN);
    const ended = new Promise((resolve) => {
      process_?.once("exit", resolve);
    });
    process_?.kill("SIGTERM");
    expect(await ended).toBe(0);
  });

  test.each([
    ["by default", "zones: [", "127.0.0.1", 8080],
    ["on the port of the file", "http: { port: 9090, prot: 1 }", "127.0.0.1", 9090],
    ["on the LAN where the file sets it", "http: { host: 0.0.0.0, tls: off, x: 1 }", "0.0.0.0", 8080],
    ["on loopback alone where the file requires TLS", "http: { host: 0.0.0.0, tls: own }", "127.0.0.1", 8080],
    ["on the default port where the port of the file is invalid", "http: { port: many }", "127.0.0.1", 8080],
  ])("it is served %s", (_where, yaml, host, port) => {
    writeFileSync(file, yaml);
    expect(fallbackAddress({ file, env: {}, cwd: "/" })).toMatchObject({ host, port });
  });
});

describeWithBrowser("the page about errors", () => {
  test("is readable without signing in, also on a phone", async () => {
    const port = await start(BROKEN);
    const browser = await startBrowser();
    try {
      for (const colorScheme of ["light", "dark"] as const) {
        const context = await browser.newContext({ colorScheme, viewport: { width: 360, height: 740 } });
        const page = await PanelPage.in(context, `http://${PANEL_HOST}:${port}/`);
        await page.openFirst();
        await page
          .screen("safe-mode")
          .heading(/No zone is monitored/)
          .shown();
        expect([await accessibilityFaults(page), await clippedParts(page)]).toEqual([[], []]);
      }
    } finally {
      await browser.close();
    }
  });
});
