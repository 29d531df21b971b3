import type * as api from "../../src/client/token-cache.ts";
import type * as errors from "../../src/domain/errors.ts";
import type * as service from "../../src/service/interventions.ts";
import type * as objectives from "../../src/service/objectives.ts";
import type * as main from "../../src/store/main-database.ts";
import type * as outbox from "../../src/store/outbox.ts";
import type * as facts from "../../src/store/upstream-capabilities.ts";
import type * as announcements from "../../src/sync/sign-in-capabilities.ts";
import type * as centre from "../../src/sync/upstream-client.ts";
import type * as link from "../../src/sync/link.ts";
import type * as operator from "../../src/sync/sync-commands.ts";
import type * as push from "../../src/sync/push.ts";
import type * as scheduler from "../../src/sync/scheduler.ts";
import type * as records from "../../src/service/sqlite-records.ts";
import type * as lists from "../../src/service/lists.ts";
import type * as channel from "../../src/threads/channel.ts";

/** The modules that the simulation runs: the real ones, or those of a copy with a disabled rule. */
export type Build = typeof api &
  typeof errors &
  typeof service &
  typeof objectives &
  typeof main &
  typeof outbox &
  typeof facts &
  typeof announcements &
  typeof centre &
  typeof link &
  typeof operator &
  typeof push &
  typeof scheduler &
  typeof records &
  typeof lists &
  typeof channel;

const PARTS = [
  "client/token-cache",
  "domain/errors",
  "service/interventions",
  "service/objectives",
  "store/main-database",
  "store/outbox",
  "store/upstream-capabilities",
  "sync/sign-in-capabilities",
  "sync/upstream-client",
  "sync/link",
  "sync/sync-commands",
  "sync/push",
  "sync/scheduler",
  "service/sqlite-records",
  "service/lists",
  "threads/channel",
];

/** @param root directory of the modules, with a trailing slash @param ending file extension */
export async function loadBuild(
  root = new URL("../../src/", import.meta.url).pathname,
  ending: ".ts" | ".js" = ".ts",
): Promise<Build> {
  const parts = await Promise.all(
    PARTS.map((part) => import(/* @vite-ignore */ `${root}${part}${ending}`) as Promise<object>),
  );
  return Object.assign({}, ...parts) as Build;
}
