import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { machineIdentity } from "../../src/ops/machine-identity.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { MAIN } from "../support/installation.ts";
import { describeUnless } from "../support/required-programs.ts";
import { report } from "../support/run-length.ts";
import { allOf, SiteAndCentre } from "../support/site-and-centre.ts";
import { describeWithStrace, TracedDaemon } from "../support/traced-daemon.ts";

/*
 * The data of a site is on another machine, on which a kill interrupts the start that notices it, or `santinela machine
 * confirm`, before each call that changes one of their files. The next start has to be of one mind: either undecided, with
 * nothing sent and an MQTT client id of its own, or confirmed as a whole. The record that has waited arrives once.
 */

/** What the start and the confirmation write, remove and rename, in the data directory. */
const FILES = [
  "machine.json.part",
  "machine.json",
  "machine-undecided.json.part",
  "machine-undecided.json",
  "secrets/mqtt-client-id",
  "secrets/mqtt-client-id.former",
  "secrets/token-signing.key",
];
const CALLS = ["openat", "write", "fsync", "rename", "unlink"];
const OTHER = `${JSON.stringify({ serial: null, machineId: "0".repeat(64) })}\n`;
const LIMIT_MS = 1_200_000;

/** The nth call of this kind on these files, of the thread that makes it. */
interface Place {
  readonly name: string;
  readonly nth: number;
}

const MISSING = "this machine has neither a serial number nor a machine-id";
const hasIdentity = machineIdentity().serial !== null || machineIdentity().machineId !== null;

describeUnless(hasIdentity ? undefined : MISSING, "a site", () => {
  describeWithStrace("on another machine", () => {
    const both = new SiteAndCentre({ siteYaml: 'mqtt: { url: "mqtt://127.0.0.1:9" }\n' });
    const path = (...names: string[]): string => join(both.installation.folder, ...names);
    const dataDir = (): string => path("site");
    const read = (name: string): string => readFileSync(join(dataDir(), name), "utf8");
    let client: string;
    let traced: TracedDaemon | undefined;
    let sent = 1;
    let waiting = 0;

    beforeAll(async () => {
      await both.start();
      await both.create();
      await both.settle();
      client = read("secrets/mqtt-client-id");
      await both.site.end("SIGTERM");
    });
    afterEach(() => traced?.end("SIGKILL"));
    afterAll(() => both.remove());

    /** Puts the stopped site on another machine, on which it has not started yet, with the records that it has now. */
    function move(): void {
      writeFileSync(join(dataDir(), "machine.json"), OTHER);
    }

    /** Starts the site with a trace of its files, and a kill or an error at one call. @returns whether it became ready */
    async function start(place?: Place, fault = "signal=SIGKILL"): Promise<boolean> {
      const inject = place ? ["-e", `inject=${place.name}:${fault}:when=${place.nth}`] : [];
      traced = new TracedDaemon({
        main: MAIN,
        configFile: path("site.yaml"),
        trace: [
          ...FILES.flatMap((name) => ["-P", join(dataDir(), name)]),
          "-e",
          `trace=${CALLS.join(",")}`,
          ...inject,
        ],
        output: path("calls"),
      });
      return traced.start();
    }

    /** The calls so far that change one of the files, as strace counts them: for each thread. */
    function places(): Place[] {
      const counts = new Map<string, number>();
      const found = new Map<string, Place>();
      for (const line of readFileSync(path("calls"), "latin1").split("\n")) {
        const [, thread = "", name = ""] = /^(\d+) +(\w+)\(/.exec(line) ?? [];
        if (!CALLS.includes(name)) continue;
        const nth = (counts.get(thread + name) ?? 0) + 1;
        counts.set(thread + name, nth);
        if (name !== "openat" || line.includes("O_CREAT")) found.set(`${name} ${nth}`, { name, nth });
      }
      return [...found.values()];
    }

    const isUnknown = async (): Promise<boolean> => {
      const { conditions } = await both.site.get<{ conditions: { code: string }[] }>("/site/status");
      return conditions.some(({ code }) => code === "machine-unknown");
    };

    /** Creates a record that waits until the machine is confirmed. */
    async function wait(): Promise<void> {
      await both.create();
      waiting += 1;
    }

    const confirm = (): Promise<unknown> =>
      askDaemon(dataDir(), "POST", "/site/machine/confirm").catch(() => "it was killed before its response");

    /** The next start, which was killed before, and what follows until everything has been sent. */
    async function expectOneMind(): Promise<"undecided" | "confirmed"> {
      await both.site.start();
      const isUndecided = await isUnknown();
      expect(read("secrets/mqtt-client-id") === client).toBe(!isUndecided);
      if (isUndecided) {
        await wait();
        expect(await allOf(path("centre"))).toHaveLength(sent);
        await both.site.run(["machine", "confirm", "--yes"]);
        await eventually("the former client id", () => read("secrets/mqtt-client-id") === client);
        await eventually("the confirmed machine", async () => !(await isUnknown()));
      }
      await both.settle();
      const { records } = await both.expectExactlyOnce();
      expect(records).toBe(sent + waiting);
      [sent, waiting] = [records, 0];
      expect(readdirSync(dataDir(), { recursive: true })).not.toContainEqual(
        expect.stringMatching(/undecided|former|\.part$/),
      );
      await both.site.end("SIGTERM");
      return isUndecided ? "undecided" : "confirmed";
    }

    test(
      "that is killed at any step of its first start there is undecided at the next one",
      { timeout: LIMIT_MS },
      async () => {
        move();
        expect(await start()).toBe(true);
        await traced?.end("SIGKILL");
        const all = places();
        expect(await expectOneMind()).toBe("undecided");
        for (const place of all) {
          move();
          const isReady = await start(place);
          if (isReady) await eventually("the kill", () => traced?.isGone);
          expect(await expectOneMind(), `killed before ${place.name} ${place.nth}`).toBe("undecided");
        }
        report(
          `first start: ${all.length} kills (${all.map(({ name, nth }) => `${name} ${nth}`).join(", ")})`,
        );
        expect(all.length).toBeGreaterThan(8);
      },
    );

    test(
      "that is killed at any step of its confirmation is either undecided at the next start or confirmed as a whole",
      { timeout: LIMIT_MS },
      async () => {
        move();
        expect(await start()).toBe(true);
        const before = new Set(places().map(({ name, nth }) => `${name} ${nth}`));
        await wait();
        await confirm();
        await eventually("the confirmed machine", async () => !(await isUnknown()));
        await traced?.end("SIGKILL");
        const all = places().filter(({ name, nth }) => !before.has(`${name} ${nth}`));
        expect(await expectOneMind()).toBe("confirmed");
        const results: string[] = [];
        for (const place of all) {
          move();
          expect(await start(place)).toBe(true);
          await wait();
          await confirm();
          await eventually("the kill", () => traced?.isGone);
          results.push(await expectOneMind());
        }
        report(
          `confirmation: ${all.map(({ name, nth }, index) => `${name} ${nth}: ${results[index]}`).join(", ")}`,
        );
        expect(new Set(results)).toEqual(new Set(["undecided", "confirmed"]));
      },
    );

    test(
      "whose confirmation does not fit on the disk remains undecided and in operation",
      { timeout: LIMIT_MS },
      async () => {
        move();
        expect(await start()).toBe(true);
        const writes = places().filter(({ name }) => name === "write").length;
        await traced?.end("SIGKILL");
        expect(await expectOneMind()).toBe("undecided");
        move();
        expect(await start({ name: "write", nth: writes + 1 }, "error=ENOSPC")).toBe(true);
        await wait();
        const refused = await askDaemon(dataDir(), "POST", "/site/machine/confirm");
        expect(refused).toMatchObject({ status: 503, headers: { "retry-after": "30" } });
        expect(await isUnknown()).toBe(true);
        // Nothing restarts: other requests are not rejected as during a restart.
        expect(await askDaemon(dataDir(), "POST", "/site/reload")).toMatchObject({ status: 200 });
        expect(await allOf(path("centre"))).toHaveLength(sent);
        await confirm();
        await eventually("the confirmed machine", async () => !(await isUnknown()));
        await traced?.end("SIGKILL");
        expect(await expectOneMind()).toBe("confirmed");
      },
    );
  });
});
