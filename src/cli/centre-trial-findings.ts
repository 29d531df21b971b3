import { join } from "node:path";
import { ApiClient } from "../client/api-client.ts";
import { TokenCache } from "../client/token-cache.ts";
import type { Config } from "../config/config.ts";
import { newKey, prepareDataDir } from "../ops/secrets.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { openMainDatabase } from "../store/main-database.ts";
import { UpstreamClient } from "../sync/upstream-client.ts";
import { objectiveOf } from "../domain/test-record.ts";
import { CentreTrials } from "../sync/centre-trials.ts";
import { centreChecks } from "./centre-checks.ts";
import type { CheckResult } from "./check-result.ts";

/** Longest wait for one answer, in milliseconds. */
const TIMEOUT_MS = 10_000;

/**
 * Reads what the centre shows this file's account and, where nothing is wrong with that, tries it with test records. What it
 * finds is stored for the daemon, whether that runs or not.
 */
export async function triedCentre(config: Config): Promise<CheckResult[]> {
  const { upstream, site, zones, dataDir } = config;
  const read = await centreChecks(config);
  if (!upstream || read.some(({ status }) => status !== "well")) return read;
  const { baseUrl, email, password, ca } = upstream;
  const clock = new SystemClock();
  const client = new ApiClient({ baseUrl, timeoutMs: TIMEOUT_MS, ca });
  prepareDataDir(dataDir);
  const database = openMainDatabase(join(dataDir, "santinela.db"));
  try {
    const tokens = new TokenCache({ client, email, password, clock });
    const centre = new UpstreamClient({ client, tokens, clock });
    const trials = new CentreTrials({
      centre,
      clock,
      database,
      baseUrl,
      siteRef: site.ref,
      newKey: () => newKey(clock.wallMs()),
    });
    const { findings } = await trials.run(objectiveOf(zones));
    return [
      ...read,
      ...findings.map(({ verdict: status, text }) => ({ check: read[0]?.check ?? "", status, text })),
    ];
  } finally {
    client.close();
    database.close();
  }
}
