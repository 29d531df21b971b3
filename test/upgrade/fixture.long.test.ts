import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { MAIN } from "../support/built-program.ts";
import { describeWithMosquitto } from "../support/mosquitto.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { pack } from "./archive.ts";
import { LaterFeatures } from "./later-features.ts";
import { Story, type Ending } from "./story.ts";
import { emptyTables } from "./tables.ts";

/** scripts/upgrade-fixture.mjs sets these: the folder for the archives, and the program of an earlier release. */
const TO = process.env["UPGRADE_FIXTURE_TO"];
const EARLIER_MAIN = process.env["UPGRADE_FIXTURE_MAIN"];

/** Entries of the audit trail are removed by age a minute after the start; only the making of an archive waits for it. */
const NEEDS_A_MINUTE = ["santinela.db audit_cut"];

describeWithMosquitto("the story of an installation", () => {
  let folder: string;
  beforeEach(() => (folder = temporaryFolder()));

  const endings: readonly Ending[] = TO === undefined ? ["killed"] : ["killed", "stopped"];
  test.each(endings)(
    "that is %s leaves rows in every table of its databases",
    async (ending) => {
      const features = EARLIER_MAIN === undefined ? new LaterFeatures(TO !== undefined) : undefined;
      await new Story(EARLIER_MAIN ?? MAIN, folder, features).tell(ending);
      expect(emptyTables(folder)).toEqual(TO === undefined ? NEEDS_A_MINUTE : []);
      if (TO === undefined) return;
      mkdirSync(TO, { recursive: true });
      pack(folder, join(TO, `${ending}.tar.br`));
    },
    300_000,
  );
});
