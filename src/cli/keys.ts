import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { revokePreviousKey, prepareDataDir, rotateSigningKey } from "../ops/secrets.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { EventService } from "../service/events.ts";
import { openMainDatabase } from "../store/main-database.ts";
import { commandLineActor } from "./actor.ts";
import type { Terminal } from "./terminal.ts";

/** Makes a new key for signing tokens. The running daemon takes it at its next start. */
export function rotateKey({ dataDir }: Config, { stdout }: Terminal): void {
  prepareDataDir(dataDir);
  rotateSigningKey(dataDir);
  note(dataDir, "signing-key-rotated");
  stdout.write(
    "a new signing key was made; restart the daemon. Tokens of the old one are taken until it is forgotten.\n",
  );
}

/** Ends every token that the previous key has signed. */
export function revokeKey({ dataDir }: Config, { stdout }: Terminal): void {
  prepareDataDir(dataDir);
  revokePreviousKey(dataDir);
  note(dataDir, "signing-key-forgotten");
  stdout.write("the previous signing key is forgotten; restart the daemon\n");
}

function note(dataDir: string, event: "signing-key-rotated" | "signing-key-forgotten"): void {
  const database = openMainDatabase(join(dataDir, "santinela.db"));
  const events = new EventService({ database, clock: new SystemClock() });
  events.note({ ...commandLineActor(), event, subject: "signing key", detail: {} });
  database.close();
}
