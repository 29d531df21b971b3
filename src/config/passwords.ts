import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { messageOf } from "../domain/errors.ts";
import type { Configuration } from "../generated/types.ts";
import type { ConfigProblem } from "./problems.ts";

/** Nobody guesses so many characters over a network. */
const TOKEN_LENGTH_MIN = 16;

/** The passwords that the configuration speaks of: from their files, else from systemd's credentials. */
export class Passwords {
  upstream: string | undefined;
  mqtt: string | undefined;
  /** Of the built-in broker's accounts, in their order. */
  mqttAccounts: readonly (string | undefined)[] = [];
  metricsToken: string | undefined;
  readonly warnings: string[] = [];
  readonly #folder: string;
  readonly #credentials: string | undefined;

  /** @param folder what relative paths start from. @param credentials systemd's $CREDENTIALS_DIRECTORY */
  constructor(folder: string, credentials: string | undefined) {
    this.#folder = folder;
    this.#credentials = credentials;
  }

  /** Reads what is needed and tells what is missing. */
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
        problems.push({ path: ["mqtt", "passwordFile"], message: "a password needs a username beside it" });
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
      this.#warnWhereOpen(resolve(this.#folder, mqtt.tls.keyFile));
    if (metrics !== undefined) {
      this.metricsToken = this.#read("metrics", metrics.tokenFile, "metrics-token", problems);
      if (this.metricsToken !== undefined && this.metricsToken.length < TOKEN_LENGTH_MIN)
        problems.push({
          path: ["metrics", "tokenFile"],
          message: `the token is shorter than ${TOKEN_LENGTH_MIN} characters. Make one with openssl rand -hex 32`,
        });
    }
    return problems;
  }

  #warnWhereOpen(path: string): void {
    const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
    if ((mode & 0o007) !== 0)
      this.warnings.push(`${path} can be read by everybody on this machine; run chmod 600 ${path}`);
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
        message: `${key} is missing. Write the password into a file with mode 0600 and name it here, or give the systemd credential ${credential}`,
      });
      return undefined;
    }
    // systemd hands its credentials over read-only to the service alone; a file of ours is to be as closed.
    return this.#readFile(path, place, problems, option !== undefined);
  }

  #readFile(
    path: string,
    place: ConfigProblem["path"],
    problems: ConfigProblem[],
    isOurs = true,
  ): string | undefined {
    try {
      const password = readFileSync(path, "utf8").replace(/\r?\n$/, "");
      if (password === "")
        problems.push({ path: place, message: `${path} is empty. Write the password into it` });
      if (isOurs) this.#warnWhereOpen(path);
      return password;
    } catch (error) {
      const exists = (error as NodeJS.ErrnoException).code !== "ENOENT";
      const message = exists
        ? `cannot read the password file ${path}: ${messageOf(error)}. Name a file that this user may read`
        : `there is no password file ${path}. Write the password into it, with mode 0600`;
      problems.push({ path: place, message });
      return undefined;
    }
  }
}
