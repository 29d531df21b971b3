import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { revokePreviousKey, prepareDataDir, rotateSigningKey } from "../ops/secrets.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { EventService } from "../service/events.ts";
import { openMainDatabase } from "../store/main-database.ts";
import { commandLineActor } from "./actor.ts";
import type { Terminal } from "./terminal.ts";

/** Creates a new signing key. The daemon uses it after a restart. */
export function rotateKey({ dataDir }: Config, { stdout }: Terminal): void {
  prepareDataDir(dataDir);
  rotateSigningKey(dataDir);
  note(dataDir, "signing-key-rotated");
  stdout.write(
    "created a new signing key; restart the daemon. Tokens signed with the old key stay valid until it is revoked.\n",
  );
}

/** Revokes the previous signing key and its tokens. */
export function revokeKey({ dataDir }: Config, { stdout }: Terminal): void {
  prepareDataDir(dataDir);
  revokePreviousKey(dataDir);
  note(dataDir, "signing-key-forgotten");
  stdout.write("revoked the previous signing key; restart the daemon\n");
}

function note(dataDir: string, event: "signing-key-rotated" | "signing-key-forgotten"): void {
  const database = openMainDatabase(join(dataDir, "santinela.db"));
  const events = new EventService({ database, clock: new SystemClock() });
  events.note({ ...commandLineActor(), event, subject: "signing key", detail: {} });
  database.close();
}
