import { createHash } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { KeptToken, TokenStore } from "../client/token-cache.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { writePrivate } from "../store/durable-files.ts";

/** The account of a token. With another password the site signs in again, so that a wrong one shows at once. */
export interface TokenAccount {
  readonly centre: string;
  readonly email: string;
  readonly password: string;
}

/** The content of the file; the account is stored as SHA-256. */
interface TokenFileContent extends KeptToken {
  readonly account: string;
}

/**
 * Stores the token for the dispatch centre in a file of this user only, so that the first alarm after a power cut
 * needs no sign-in. It is in the secrets directory, which no backup and no support bundle contains. Errors are not
 * critical: without the file the site signs in.
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
      const { token, expiresAtMs, account } = JSON.parse(
        readFileSync(this.#path, "utf8"),
      ) as TokenFileContent;
      // Validated because it is sent in a header.
      const isToken =
        typeof token === "string" && /^[\w.~+/=-]+$/.test(token) && Number.isFinite(expiresAtMs);
      return account === this.#account && isToken ? { token, expiresAtMs } : undefined;
    } catch {
      return undefined;
    }
  }

  save(kept: KeptToken | undefined): void {
    try {
      if (!kept) return rmSync(this.#path, { force: true });
      const content: TokenFileContent = { account: this.#account, ...kept };
      writePrivate(this.#path, JSON.stringify(content));
    } catch (error) {
      this.#log.warn("upstream-token-write-failed", { reason: messageOf(error) });
    }
  }
}
