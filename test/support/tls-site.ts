import { randomUUID } from "node:crypto";
import type { Log } from "../../src/domain/log.ts";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { TokenFile } from "../../src/ops/token-file.ts";
import { Sync } from "../../src/sync/sync.ts";
import type { TestApp } from "./app.ts";

export interface TlsSiteOptions {
  readonly baseUrl: string;
  /** PEM of the authority of the dispatch centre. */
  readonly ca: string;
  readonly email?: string;
  readonly password?: string;
  /** Data directory of the stored token; without it each start signs in. */
  readonly dataDir?: string;
}

/** The complete sync of an application to a dispatch centre over TLS, not started. */
export function tlsSiteOf(
  { clock, database }: Pick<TestApp, "clock" | "database">,
  { dataDir, email = "site@centre.example", password = "p", ...centre }: TlsSiteOptions,
): Sync {
  const log: Log = new JsonLog({ level: "error", clock, write: () => {} });
  return new Sync({
    upstream: {
      ...centre,
      email,
      password,
      schedule: "* * * * *",
      objectives: "off",
      marker: "notes",
      timeoutS: 30,
    },
    site: { ref: "proof", timezone: "Europe/Bucharest", locale: "en" },
    database,
    clock,
    random: () => 0.5,
    newKey: randomUUID,
    log,
    conditions: new ConditionRegistry(clock, log),
    failpoint: () => {},
    ...(dataDir === undefined ? {} : { tokenStore: (account) => new TokenFile({ dataDir, log }, account) }),
  });
}
