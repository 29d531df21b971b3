import { rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readText } from "../config/parsed-text.ts";
import { documentOf, plainOf } from "../config/zone-edits.ts";
import { configurationText, readConfiguration, type LoadOptions } from "../config/load.ts";
import { AppError, messageOf } from "../domain/errors.ts";
import { bothNamesText, hasOtherName } from "../domain/objective-names.ts";
import { objectiveNames } from "../ops/centre-objective-names.ts";
import { assertCentreAddress, claimAccount, passwordFor } from "../ops/account-claim.ts";
import { oneTimePassword } from "../ops/secrets.ts";
import { hasSentRecords } from "../ops/sent-records.ts";
import { readJson } from "../store/durable-files.ts";
import { writeForService } from "./service-group.ts";
import type { Terminal } from "./terminal.ts";

/** Names of the files beside the configuration, where the service may read them. */
const PASSWORD_FILE = "enrolled.password";
const CA_FILE = "enrolled-ca.crt";
const HINTS = {
  unanswered: "Check the address (http or https), the network and --ca-file, then repeat the same command.",
  refused: "Check --centre and the code, or have another code created there: santinela sites invite.",
  foreign:
    "Check --centre: it is the base URL of the centre's API. A centre of another vendor has its own accounts.",
};

interface EnrolOptions {
  readonly centre: string;
  readonly caFile?: string;
}

/**
 * Exchanges a one-time code for the account of this site, and writes its password beside the configuration. Repeating it after a
 * lost response sends the same password, which the centre accepts for an hour. A site that has no centre yet takes the reference of
 * its code.
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
  const { site, zones, upstream, upstreams, dataDir } = readConfiguration(source, {
    ...load,
    allowMissingFiles: true,
  });
  assertCentreAddress(centre);
  const file = join(dirname(source.file), PASSWORD_FILE);
  const ca = caFile === undefined ? upstream?.ca : readText(resolve(cwd, caFile), "the authority");
  const draft = `${file}.sent`;
  // A configuration with a centre names its account already, and records at a centre carry the reference.
  const isNew = upstream === null && upstreams.length === 0 && !hasSentRecords(dataDir);
  const { sent, text } = passwordFor({ centre, code }, readJson(draft), isNew, oneTimePassword);
  writeSecret(draft, text);
  const claim = { code, ...(sent.takesReference ? {} : { site: site.ref }), password: sent.password };
  const account = await claimAccount({ centre, ca, hints: HINTS }, claim);
  writeSecret(file, sent.password);
  if (caFile !== undefined && ca !== undefined)
    writeSecret(join(dirname(source.file), CA_FILE), ca.trimEnd());
  rmSync(draft, { force: true });
  const names = await objectiveNames({ centre, ca, email: account.email, password: sent.password }, zones);
  stdout.write(
    [
      `enrolled ${account.site} at ${centre}; it may use ${account.objectives.join(", ")}`,
      ...names.map((name) => `zones send crews to ${bothNamesText(name)}`),
      `wrote ${file}`,
      ...(account.site === site.ref ? [] : [`Set site.ref to ${account.site}; it is ${site.ref} now.`]),
      ...whereTo({ file: source.file, text: source.text }),
      "",
      "upstream:",
      `  baseUrl: ${JSON.stringify(centre)}`,
      `  email: ${JSON.stringify(account.email)}`,
      `  passwordFile: "./${PASSWORD_FILE}"`,
      ...(caFile === undefined ? [] : [`  caFile: "./${CA_FILE}"`]),
      "",
    ].join("\n"),
  );
  if (names.some(hasOtherName))
    stderr.write(
      "the dispatch centre has another name for an objective of zones (configuration ≠ dispatch centre): its id may be another building there. Compare the addresses before the first alarm\n",
    );
  for (const { id, objective } of zones) {
    const ref = `${objective.type}/${objective.id}`;
    if (!(account.objectives as readonly string[]).includes(ref))
      stderr.write(`zone ${id}: the account may not use ${ref}; trips of this zone would wait\n`);
  }
}

/**
 * Where the printed section belongs. A file has one section `upstream`; the web panel names another password file in it, with which
 * a reload would keep the former password.
 */
function whereTo({ file, text }: { readonly file: string; readonly text: string }): string[] {
  const { upstream } = (plainOf(documentOf(text)) ?? {}) as {
    readonly upstream?: { readonly passwordFile?: unknown } | null;
  };
  if (!upstream) return [`Add this to ${file}, then run santinela reload:`];
  const { passwordFile } = upstream;
  const isSame =
    typeof passwordFile === "string" &&
    resolve(dirname(file), passwordFile) === join(dirname(file), PASSWORD_FILE);
  return [
    `Replace these options in the section upstream of ${file}, then run santinela reload:`,
    ...(isSame || typeof passwordFile !== "string"
      ? []
      : [`passwordFile is ${passwordFile} now, which has the former password.`]),
  ];
}

/** Writes a file that only the daemon may read. */
function writeSecret(file: string, text: string): void {
  try {
    writeForService(file, `${text}\n`);
  } catch (cause) {
    throw new AppError("cannot-create", `cannot write ${file}: ${messageOf(cause)}`, {
      hint: "Run the command as a user with write permission there, such as root.",
      cause,
    });
  }
}
