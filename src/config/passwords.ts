import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { messageOf } from "../domain/errors.ts";
import type { Configuration } from "../generated/types.ts";
import { FILE_BYTES_MAX, readBounded } from "./bounded-file.ts";
import { hasPassword } from "./database-url.ts";
import { dc09KeyOf } from "./dc09-key.ts";
import type { ConfigProblem } from "./problems.ts";

/** Long enough to resist guessing over a network. */
const TOKEN_LENGTH_MIN = 16;
/** As for a person's password. Only a warning: an upgrade must not stop a site. */
const BROKER_PASSWORD_LENGTH_MIN = 8;

/** Passwords of the configuration, from files or systemd credentials. */
export class Passwords {
  readonly upstream: string | undefined;
  readonly mqtt: string | undefined;
  /** Passwords of the built-in broker's accounts, in the order of the accounts. */
  readonly mqttAccounts: readonly (string | undefined)[];
  /** Keys of the alarm panels, in the order of the accounts; undefined without a file. */
  readonly dc09Keys: readonly (string | undefined)[];
  /** Keys of the transmitters, in the order of upstreams; undefined without a file. */
  readonly transmitterKeys: readonly (string | undefined)[];
  readonly metricsToken: string | undefined;
  /** Of PostgreSQL; undefined without a file and without a credential: it may need none. */
  readonly database: string | undefined;
  /** Missing and unusable passwords. */
  readonly problems: ConfigProblem[] = [];
  readonly warnings: string[] = [];
  readonly #folder: string;
  readonly #credentials: string | undefined;
  readonly #isElsewhere: (credential: string) => boolean;

  /**
   * Reads the passwords.
   * @param folder base of relative paths
   * @param credentials $CREDENTIALS_DIRECTORY of systemd
   * @param isElsewhere whether a credential that is not there is not missing
   */
  constructor(
    { upstream, upstreams = [], mqtt, metrics, dc09, database, databasePasswordFile }: Configuration,
    folder: string,
    credentials: string | undefined,
    isElsewhere: (credential: string) => boolean = () => false,
  ) {
    this.#folder = folder;
    this.#credentials = credentials;
    this.#isElsewhere = isElsewhere;
    const {
      url,
      username,
      passwordFile,
      accounts = [],
      tls,
    } = mqtt === undefined || mqtt === "off" ? {} : mqtt;
    if (upstream)
      this.upstream = this.#read(["upstream", "passwordFile"], upstream.passwordFile, "upstream-password");
    if (username !== undefined || passwordFile !== undefined)
      this.mqtt = this.#read(["mqtt", "passwordFile"], passwordFile, "mqtt-password");
    if (username === undefined && passwordFile !== undefined)
      this.#report(["mqtt", "passwordFile"], "passwordFile needs username");
    this.mqttAccounts = accounts.map((account, index) =>
      this.#readOwnFile(["mqtt", "accounts", index, "passwordFile"], account.passwordFile),
    );
    // A separate broker has rules of its own.
    if (username !== undefined && url === undefined)
      this.#warnIfShort(`mqtt.passwordFile: the password of ${JSON.stringify(username)}`, this.mqtt);
    for (const [index, account] of accounts.entries())
      this.#warnIfShort(
        `mqtt.accounts: the password of ${JSON.stringify(account.username)}`,
        this.mqttAccounts[index],
      );
    this.dc09Keys = (dc09?.accounts ?? []).map(({ keyFile }, index) =>
      keyFile === undefined ? undefined : this.#readKey(["dc09", "accounts", index, "keyFile"], keyFile),
    );
    this.transmitterKeys = upstreams.map(({ dc09: { keyFile } }, index) =>
      keyFile === undefined ? undefined : this.#readKey(["upstreams", index, "dc09", "keyFile"], keyFile),
    );
    if (database !== undefined) this.database = this.#readDatabase(databasePasswordFile);
    else if (databasePasswordFile !== undefined)
      this.#report(["databasePasswordFile"], "databasePasswordFile needs database");
    if (database !== undefined && hasPassword(database))
      this.warnings.push("database has a password in its URL; move it to a file for databasePasswordFile");
    if (tls?.keyFile !== undefined) this.#warnIfReadable(resolve(folder, tls.keyFile));
    if (metrics) this.metricsToken = this.#read(["metrics", "tokenFile"], metrics.tokenFile, "metrics-token");
    if (this.metricsToken !== undefined && this.metricsToken.length < TOKEN_LENGTH_MIN)
      this.#report(
        ["metrics", "tokenFile"],
        `the token is shorter than ${TOKEN_LENGTH_MIN} characters. Create one with openssl rand -hex 32`,
      );
  }

  /** @param file value of the option; without it the credential is read if there is one */
  #readDatabase(file: string | undefined): string | undefined {
    if (file !== undefined) return this.#readOwnFile(["databasePasswordFile"], file);
    const credential = join(this.#credentials ?? "", "database-password");
    if (this.#credentials === undefined || !existsSync(credential)) return undefined;
    return this.#readFile(["database"], credential);
  }

  #report(path: ConfigProblem["path"], message: string): void {
    this.problems.push({ path, message });
  }

  /** @param password an empty one is an error already */
  #warnIfShort(whose: string, password = ""): void {
    if (password !== "" && [...password].length < BROKER_PASSWORD_LENGTH_MIN)
      this.warnings.push(
        `${whose} is shorter than ${BROKER_PASSWORD_LENGTH_MIN} characters. Create one with openssl rand -hex 16`,
      );
  }

  #warnIfReadable(path: string): void {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & 0o007) !== 0) this.warnings.push(`${path} is readable by other users; run chmod 600 ${path}`);
  }

  /** @param file value of the option; without it the credential is read */
  #read([section, key]: [string, string], file: string | undefined, credential: string): string | undefined {
    if (file !== undefined) return this.#readOwnFile([section, key], file);
    if (this.#credentials) return this.#readFile([section], join(this.#credentials, credential));
    if (this.#isElsewhere(credential)) return undefined;
    this.#report(
      [section],
      `${key} is missing. Write the password to a file with mode 0600 and set its path here, or use the systemd credential ${credential}`,
    );
    return undefined;
  }

  /** Credentials of systemd are readable by the service only; other files are checked for that. */
  #readOwnFile(place: ConfigProblem["path"], file: string, what?: string): string | undefined {
    const path = resolve(this.#folder, file);
    const password = this.#readFile(place, path, what);
    if (password !== undefined) this.#warnIfReadable(path);
    return password;
  }

  /** @returns hexadecimal digits */
  #readKey(place: ConfigProblem["path"], file: string): string | undefined {
    const text = this.#readOwnFile(place, file, "key");
    if (text === undefined || text === "") return undefined;
    const key = dc09KeyOf(text);
    if (key === undefined)
      this.#report(
        place,
        `${resolve(this.#folder, file)} is not a key. Use 32, 48 or 64 hexadecimal digits, or 16, 24 or 32 characters`,
      );
    return key;
  }

  #readFile(place: ConfigProblem["path"], path: string, what = "password"): string | undefined {
    try {
      const password = readBounded(path, FILE_BYTES_MAX).replace(/\r?\n$/, "");
      if (password === "") this.#report(place, `${path} is empty. Write the ${what} to it`);
      return password;
    } catch (error) {
      const exists = (error as NodeJS.ErrnoException).code !== "ENOENT";
      this.#report(
        place,
        exists
          ? `cannot read the ${what} file ${path}: ${messageOf(error)}. Use a file that this user can read`
          : `${what} file ${path} does not exist. Create it with mode 0600`,
      );
      return undefined;
    }
  }
}
