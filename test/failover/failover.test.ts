import { expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { buildingsYaml, EDGE, Installation } from "../support/installation.ts";
import { freePort } from "../support/loopback.ts";
import { HERE } from "./network.ts";
import { PatroniPair } from "./patroni-pair.ts";
import { LONG_MS, medianAndWorst, signedIn, Writers } from "./writers.ts";

const KILLS = Number(process.env["FAILOVER_KILLS"] ?? "20");

test.runIf(KILLS > 0)(
  `no acknowledged record is lost or doubled in ${KILLS} kills of a leader or a centre`,
  async () => {
    const ports = [await freePort(), await freePort()];
    const pair = await PatroniPair.start({ a: HERE, b: HERE, etcd: HERE });
    const installation = new Installation();
    try {
      const url = pair.urlAt(await pair.startDatabasePort(HERE));
      const centres = ports.map((port, index) =>
        installation.centre(
          `centre${index}`,
          `database: "${url}"\nsite: { ref: centre, locale: en }\nhttp: { port: ${port} }\n${buildingsYaml(2)}`,
        ),
      );
      // haproxy takes both servers for the primary until its first checks.
      await eventually(
        "an account",
        () => centres[0]?.addAccount(EDGE, "administrator").then(() => true),
        LONG_MS,
      );
      for (const centre of centres) await centre.start();
      const base = await pair.startCentresPort(ports.map((port) => `127.0.0.1:${port}`));
      const writers = new Writers([base], await signedIn(base, EDGE));
      const gaps: { leader: number[]; centre: number[] } = { leader: [], centre: [] };
      await writers.grows(500);
      for (let kill = 1; kill <= KILLS; kill += 1) {
        writers.gapMs = 0;
        const leader = await pair.leader();
        const centre = kill % 4 === 2 ? centres[0] : centres[1];
        if (kill % 2 === 1) await pair.killMember(leader);
        else await centre?.end("SIGKILL");
        await writers.grows(500);
        if (kill % 2 === 1) {
          await pair.isLedByOther(leader);
          pair.startMember(leader);
          await pair.whole();
        } else await centre?.start();
        await writers.grows(200);
        const what = kill % 2 === 1 ? `leader ${leader}` : "a centre";
        gaps[kill % 2 === 1 ? "leader" : "centre"].push(writers.gapMs);
        process.stdout.write(
          `${kill}. ${what}: gap ${writers.gapMs} ms, ${writers.acknowledged.size} acknowledged\n`,
        );
      }
      process.stdout.write(
        `leader: ${medianAndWorst(gaps.leader)}\ncentre: ${medianAndWorst(gaps.centre)}\n`,
      );
      await writers.expectStored(url);
      expect(writers.acknowledged.size).toBeGreaterThan(700 * KILLS);
    } finally {
      await installation.remove();
      await pair.stop();
    }
  },
);
