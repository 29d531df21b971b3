import { createHash } from "node:crypto";
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { KeptToken, TokenStore } from "../client/token-cache.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";

/** Who a token was given to. With another password the site signs in, so that a wrong one shows at once. */
export interface TokenAccount {
  readonly centre: string;
  readonly email: string;
  readonly password: string;
}

/** What the file holds: a token is only good for the account that it was given to, which is there as a SHA-256. */
interface Kept extends KeptToken {
  readonly account: string;
}

/**
 * The token for the centre in a file of this user alone, so that the first alarm after a power cut waits for no sign-in.
 * It lies among the secrets, which no backup and no support bundle holds. Without it the site signs in, so nothing about
 * the file is an error.
 */
export class TokenFile implements TokenStore {
  readonly #path: string;
  readonly #account: string;
  readonly #log: Log;

  constructor({ dataDir, log }: { dataDir: string; log: Log }, { centre, email, password }: TokenAccount) {
    this.#path = join(dataDir, "secrets", "upstream-token.json");
    this.#account = createHash("sha256")
      .update(JSON.stringify([centre, email, password]))
      .digest("hex");
    this.#log = log;
  }

  load(): KeptToken | undefined {
    try {
      const { token, expiresAtMs, account } = JSON.parse(readFileSync(this.#path, "utf8")) as Kept;
      // It goes into a header as it is.
      const isToken =
        typeof token === "string" && /^[\w.~+/=-]+$/.test(token) && Number.isFinite(expiresAtMs);
      return account === this.#account && isToken ? { token, expiresAtMs } : undefined;
    } catch {
      return undefined;
    }
  }

  save(kept: KeptToken | undefined): void {
    const part = `${this.#path}.part`;
    try {
      if (!kept) return rmSync(this.#path, { force: true });
      rmSync(part, { force: true });
      writeFileSync(part, JSON.stringify({ account: this.#account, ...kept } satisfies Kept), {
        mode: 0o600,
        flush: true,
      });
      renameSync(part, this.#path);
    } catch (error) {
      this.#log.warn("upstream-token-write-failed", { reason: messageOf(error) });
    }
  }
}
