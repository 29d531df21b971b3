import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { messageOf } from "../domain/errors.ts";
import type { Configuration } from "../generated/types.ts";
import type { ConfigProblem } from "./problems.ts";

/** Long enough to resist guessing over a network. */
const TOKEN_LENGTH_MIN = 16;

/** Passwords of the configuration, from files or systemd credentials. */
export class Passwords {
  upstream: string | undefined;
  mqtt: string | undefined;
  /** Passwords of the built-in broker's accounts, in the order of the accounts. */
  mqttAccounts: readonly (string | undefined)[] = [];
  metricsToken: string | undefined;
  readonly warnings: string[] = [];
  readonly #folder: string;
  readonly #credentials: string | undefined;

  /** @param folder base of relative paths. @param credentials $CREDENTIALS_DIRECTORY of systemd */
  constructor(folder: string, credentials: string | undefined) {
    this.#folder = folder;
    this.#credentials = credentials;
  }

  /** Reads the passwords. @returns errors for missing and unusable ones */
  check({ upstream, mqtt, metrics }: Configuration): ConfigProblem[] {
    const problems: ConfigProblem[] = [];
    if (upstream)
      this.upstream = this.#read("upstream", upstream.passwordFile, "upstream-password", problems);
    if (
      mqtt !== undefined &&
      mqtt !== "off" &&
      (mqtt.username !== undefined || mqtt.passwordFile !== undefined)
    ) {
      this.mqtt = this.#read("mqtt", mqtt.passwordFile, "mqtt-password", problems);
      if (mqtt.username === undefined)
        problems.push({ path: ["mqtt", "passwordFile"], message: "passwordFile needs username" });
    }
    if (mqtt !== undefined && mqtt !== "off")
      this.mqttAccounts = (mqtt.accounts ?? []).map(({ passwordFile }, index) =>
        this.#readFile(
          resolve(this.#folder, passwordFile),
          ["mqtt", "accounts", index, "passwordFile"],
          problems,
        ),
      );
    if (mqtt !== undefined && mqtt !== "off" && mqtt.tls?.keyFile !== undefined)
      this.#warnIfReadable(resolve(this.#folder, mqtt.tls.keyFile));
    if (metrics !== undefined) {
      this.metricsToken = this.#read("metrics", metrics.tokenFile, "metrics-token", problems);
      if (this.metricsToken !== undefined && this.metricsToken.length < TOKEN_LENGTH_MIN)
        problems.push({
          path: ["metrics", "tokenFile"],
          message: `the token is shorter than ${TOKEN_LENGTH_MIN} characters. Create one with openssl rand -hex 32`,
        });
    }
    return problems;
  }

  #warnIfReadable(path: string): void {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & 0o007) !== 0) this.warnings.push(`${path} is readable by other users; run chmod 600 ${path}`);
  }

  #read(
    section: string,
    option: string | undefined,
    credential: string,
    problems: ConfigProblem[],
  ): string | undefined {
    const path =
      option === undefined
        ? this.#credentials && join(this.#credentials, credential)
        : resolve(this.#folder, option);
    const key = section === "metrics" ? "tokenFile" : "passwordFile";
    const place = option === undefined ? [section] : [section, key];
    if (path === undefined || path === "") {
      problems.push({
        path: place,
        message: `${key} is missing. Write the password to a file with mode 0600 and set its path here, or use the systemd credential ${credential}`,
      });
      return undefined;
    }
    // Credentials of systemd are readable by the service only; other files are checked for that.
    return this.#readFile(path, place, problems, option !== undefined);
  }

  #readFile(
    path: string,
    place: ConfigProblem["path"],
    problems: ConfigProblem[],
    isOwnFile = true,
  ): string | undefined {
    try {
      const password = readFileSync(path, "utf8").replace(/\r?\n$/, "");
      if (password === "")
        problems.push({ path: place, message: `${path} is empty. Write the password to it` });
      if (isOwnFile) this.#warnIfReadable(path);
      return password;
    } catch (error) {
      const exists = (error as NodeJS.ErrnoException).code !== "ENOENT";
      const message = exists
        ? `cannot read the password file ${path}: ${messageOf(error)}. Use a file that this user can read`
        : `password file ${path} does not exist. Create it with mode 0600`;
      problems.push({ path: place, message });
      return undefined;
    }
  }
}
