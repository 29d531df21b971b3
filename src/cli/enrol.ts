import { existsSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readText } from "../config/parsed-text.ts";
import { configurationText, readConfiguration, type LoadOptions } from "../config/load.ts";
import { AppError, messageOf } from "../domain/errors.ts";
import { assertCentreAddress, claimAccount, PASSWORD_LENGTH_MIN } from "../ops/account-claim.ts";
import { oneTimePassword } from "../ops/secrets.ts";
import { renameDurably } from "../store/durable-files.ts";
import { setServiceGroup } from "./service-group.ts";
import type { Terminal } from "./terminal.ts";

/** Name of the password file, beside the configuration. */
const PASSWORD_FILE = "enrolled.password";
const HINTS = {
  unanswered: "Check the address, the network and --ca-file, then repeat the same command.",
  refused: "Check --centre and the code, or have another code created there: santinela sites invite.",
  foreign:
    "Check --centre: it is the base URL of the centre's API. A centre of another make has accounts of its own.",
};

interface EnrolOptions {
  readonly centre: string;
  readonly caFile?: string;
}

/**
 * Exchanges a one-time code for the account of this site, and writes its password beside the configuration. Repeating it after a
 * lost response sends the same password, which the centre accepts for an hour.
 * @throws AppError `forbidden` for an unusable code, `unavailable` without an answer, `bad-data` for another kind of server,
 *   `no-input` without a configuration file, `cannot-create` if the password cannot be written
 */
export async function enrol(
  load: LoadOptions,
  { stdout, stderr, cwd }: Terminal,
  { centre, caFile }: EnrolOptions,
  code: string,
): Promise<void> {
  const source = configurationText(load);
  if (source.file === null)
    throw new AppError("no-input", "there is no configuration file", {
      hint: "Create one with santinela init, or specify it with --config.",
    });
  // The password file it names may be the one that is created here.
  const { site, zones, upstream } = readConfiguration(source, { ...load, allowMissingPasswords: true });
  assertCentreAddress(centre);
  const file = join(dirname(source.file), PASSWORD_FILE);
  const ca = caFile === undefined ? upstream?.ca : readText(resolve(cwd, caFile), "the authority");
  const password = draftPassword(file);
  const account = await claimAccount({ centre, ca, hints: HINTS }, { code, site: site.ref, password });
  renameDurably(`${file}.part`, file);
  stdout.write(
    [
      `enrolled ${account.site} at ${centre}; it may use ${account.objectives.join(", ")}`,
      `wrote ${file}`,
      `Put this into ${source.file}, then restart the daemon:`,
      "",
      "upstream:",
      `  baseUrl: ${JSON.stringify(centre)}`,
      `  email: ${JSON.stringify(account.email)}`,
      `  passwordFile: "./${PASSWORD_FILE}"`,
      ...(caFile === undefined ? [] : [`  caFile: ${JSON.stringify(resolve(cwd, caFile))}`]),
      "",
    ].join("\n"),
  );
  for (const { id, objective } of zones) {
    const ref = `${objective.type}/${objective.id}`;
    if (!(account.objectives as readonly string[]).includes(ref))
      stderr.write(`zone ${id}: the account may not use ${ref}; trips of this zone would wait\n`);
  }
}

/** The password of an earlier attempt whose response was lost, or a new one. It is on the disk before it is sent. */
function draftPassword(file: string): string {
  const draft = `${file}.part`;
  try {
    const earlier = existsSync(draft) ? readText(draft, "the password").trim() : "";
    if (earlier.length >= PASSWORD_LENGTH_MIN) return earlier;
    const password = oneTimePassword();
    writeFileSync(draft, `${password}\n`, { mode: 0o600, flush: true });
    setServiceGroup(draft, dirname(file));
    return password;
  } catch (cause) {
    throw new AppError("cannot-create", `cannot write ${draft}: ${messageOf(cause)}`, {
      hint: "Run the command as a user with write permission there, such as root.",
      cause,
    });
  }
}
