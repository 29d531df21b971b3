import type { Config } from "../config/config.ts";
import { forgetPreviousKey, prepareDataDir, rotateSigningKey } from "../ops/secrets.ts";
import type { Terminal } from "./terminal.ts";

/** Makes a new key for signing tokens. The running daemon takes it at its next start. */
export function rotateKey({ dataDir }: Config, { stdout }: Terminal): void {
  prepareDataDir(dataDir);
  rotateSigningKey(dataDir);
  stdout.write(
    "a new signing key was made; restart the daemon. Tokens of the old one are taken until it is forgotten.\n",
  );
}

/** Ends every token that the previous key has signed. */
export function forgetKey({ dataDir }: Config, { stdout }: Terminal): void {
  forgetPreviousKey(dataDir);
  stdout.write("the previous signing key is forgotten; restart the daemon\n");
}
