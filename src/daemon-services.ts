import type { Config } from "./config/config.ts";
import type { Clock } from "./domain/clock.ts";
import { oneTimePassword, signingKeys } from "./ops/secrets.ts";
import { AccountService } from "./service/accounts.ts";
import { EventService } from "./service/events.ts";
import { ensureAdministrator, seedObjectives } from "./service/first-run.ts";
import { InterventionService, type InterventionServiceOptions } from "./service/interventions.ts";
import { ObjectiveService } from "./service/objectives.ts";
import { TokenService } from "./service/tokens.ts";
import type { Database } from "./store/database.ts";

export interface ServiceParts extends Pick<
  InterventionServiceOptions,
  "newUid" | "onChange" | "longLists" | "isDiskFull"
> {
  readonly config: Config;
  readonly database: Database;
  readonly clock: Clock;
  /** Shows the password of the initial administrator. */
  readonly tell: (account: { email: string; password: string }) => void;
}

/** The services behind the API. */
export interface Services {
  readonly tokens: TokenService;
  readonly accounts: AccountService;
  readonly events: EventService;
  readonly objectives: ObjectiveService;
  readonly interventions: InterventionService;
}

/** Creates the services behind the API, with objectives and an administrator for the first request. */
export async function makeServices({
  config: { site, zones, dataDir, objectives: known },
  database,
  clock,
  newUid,
  onChange,
  longLists,
  isDiskFull,
  tell,
}: ServiceParts): Promise<Services> {
  const common = { database, clock };
  const objectives = new ObjectiveService(database);
  seedObjectives(objectives, known, zones, site.locale);
  const accounts = new AccountService(common);
  await ensureAdministrator(accounts, oneTimePassword, tell);
  const tokens = new TokenService({ ...common, keys: signingKeys(dataDir) });
  const { timezone, dispeceratId } = site;
  const interventions = new InterventionService({
    ...common,
    timezone,
    dispeceratId,
    newUid,
    onChange,
    longLists,
    isDiskFull,
  });
  return { tokens, accounts, events: new EventService(common), objectives, interventions };
}
