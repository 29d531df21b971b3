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

/** Timeout of one request. */
const TIMEOUT_MS = 10_000;
const STATUS_OF_VERDICT = { well: "ok", doubt: "warning", fault: "error" } as const;

/**
 * Runs the checks of the dispatch centre and, if all are ok, tests it with records that are removed again. The results are
 * stored for the daemon, whether it runs or not.
 */
export async function centreTrialChecks(config: Config): Promise<CheckResult[]> {
  const { upstream, site, zones, dataDir } = config;
  const read = await centreChecks(config);
  if (!upstream || read.some(({ status }) => status !== "ok")) return read;
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
      ...findings.map(({ verdict, text }) => ({
        check: read[0]?.check ?? "",
        status: STATUS_OF_VERDICT[verdict],
        text,
      })),
    ];
  } finally {
    client.close();
    database.close();
  }
}
