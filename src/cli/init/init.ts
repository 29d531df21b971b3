import { existsSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseAnswers, parsedYaml, readText } from "../../config/parsed-text.ts";
import type { Config } from "../../config/config.ts";
import { newConfigFile, loadConfiguration, readConfiguration } from "../../config/load.ts";
import { AppError, messageOf } from "../../domain/errors.ts";
import { panelAddresses } from "../../ops/panel-address.ts";
import { showAddress } from "../address.ts";
import { formatResults } from "../check-result.ts";
import { addAccount } from "../user.ts";
import type { Terminal } from "../terminal.ts";
import { generateConfig, ALARM_PANEL_KEY_FILE, type Draft } from "../../config/generated-config.ts";
import type { ProposedZone } from "../../domain/discovery/proposed-zone.ts";
import { repeatQuestions, interview, type InterviewResult } from "./interview.ts";
import { replacedAnswers } from "./replaced-answers.ts";
import { describeAlarmPanel, withAlarmPanelKey } from "./alarm-panel-key.ts";
import { awaitFirstTrip } from "./first-trip.ts";
import { writeForService } from "../service-group.ts";
import { Prompt } from "../prompt.ts";
import { firstStartText } from "../serve-texts.ts";
import { problemWith, QUESTIONS, type SetupAnswers } from "../../config/setup-questions.ts";

interface InitOptions {
  /** The configuration file to create; undefined for the daemon's default. */
  readonly config?: string;
  /** An answers file; undefined to prompt. */
  readonly from?: string;
  /** Prints a template of the answers file. */
  readonly template?: boolean;
  /** Prints the configuration and writes nothing. */
  readonly dryRun?: boolean;
  /** Overwrites existing files. */
  readonly force?: boolean;
}

interface Answered {
  readonly answers: SetupAnswers;
  /** Question -> existing file with its answer. */
  readonly secretFiles: SetupAnswers;
  /** Zones of sensors that were found and chosen. */
  readonly found?: readonly ProposedZone[];
}

/**
 * Creates a configuration from answers; interactively it also tests the first zone.
 * @throws AppError `cannot-create` if the configuration already exists, `bad-data` for invalid answers
 */
export async function init(terminal: Terminal, options: InitOptions): Promise<void> {
  if (options.template) return void terminal.stdout.write(answersTemplate());
  const path = targetOf(options.config, terminal);
  if (!options.dryRun && !options.force && existsSync(path))
    throw new AppError("cannot-create", `${path} already exists`, {
      hint: "Edit that file, or use --force to overwrite it.",
    });
  if (options.from === undefined) await createInteractively(path, options, terminal);
  else await create(path, answersOf(resolve(terminal.cwd, options.from)), options, terminal);
  if (!options.dryRun) terminal.stdout.write(firstStartText(path, terminal));
}

async function createInteractively(path: string, options: InitOptions, terminal: Terminal): Promise<void> {
  const hint = "Use an answers file with --from; santinela init --template prints a template.";
  const prompt = new Prompt(terminal, "no terminal for prompts", hint);
  try {
    const interviewed = await interview(prompt, terminal, replacedAnswers(path, terminal));
    const { found } = interviewed;
    const answers = await triedAtCentre(path, interviewed, prompt, terminal);
    const created = await create(path, { answers, secretFiles: {}, found }, options, terminal);
    if (created) await awaitFirstTrip(created.config, created.text, prompt, terminal);
    if (created && panelAddresses({ ...created.config.http, isEncrypted: true }).length > 0)
      await showAddress(created.config, terminal);
  } finally {
    prompt.close();
  }
}

/**
 * Tries the dispatch centre before anything is written; its questions are asked again until it can be used, or the user keeps
 * the answers, such as for a centre that is not there yet.
 * @returns the answers to use
 */
async function triedAtCentre(
  path: string,
  { answers, found }: InterviewResult,
  prompt: Prompt,
  terminal: Terminal,
): Promise<SetupAnswers> {
  if (answers["centre"] !== "yes") return answers;
  const { stderr, env, cwd } = terminal;
  const { text } = generateConfig(answers, {}, {}, found);
  const config = readConfiguration({ file: path, text }, { env, cwd, allowMissingFiles: true });
  // Its file is not written yet.
  const password = answers["centre-password"] ?? "";
  const upstream = config.upstream && { ...config.upstream, password };
  const { centreChecks } = await import("../centre-checks.ts");
  stderr.write("testing the dispatch centre; nothing is sent…\n");
  const results = await centreChecks({ ...config, upstream });
  stderr.write(formatResults(results));
  if (results.every(({ status }) => status !== "error")) return answers;
  const reply = await prompt.line(
    "Enter the dispatch centre again, or keep it as it is? (again, keep) [again]: ",
  );
  if (/^k/i.test(reply.trim())) return answers;
  const asked = await repeatQuestions(answers, CENTRE_QUESTIONS, prompt, terminal);
  return triedAtCentre(path, { answers: asked, found }, prompt, terminal);
}

/** All questions about the dispatch centre but the first, whether there is one. */
const CENTRE_QUESTIONS = /^centre-/;

/** @returns the written configuration; undefined after a dry run */
async function create(
  path: string,
  { answers: given, secretFiles, found = [] }: Answered,
  { dryRun, force = false }: InitOptions,
  terminal: Terminal,
): Promise<{ config: Config; text: string } | undefined> {
  const { stdout, stderr, env, cwd } = terminal;
  const answers = withAlarmPanelKey(given);
  const kept = {
    dataDir: isSystemWide(path) ? "/var/lib/santinela" : undefined,
    // Whether the web panel may edit the file: the package allows it, and no question is about it.
    configuration: configurationEditor(path),
  };
  const draft = generateConfig(answers, secretFiles, kept, found);
  // Errors are reported before anything is written.
  readConfiguration({ file: path, text: draft.text }, { env, cwd, allowMissingFiles: true });
  if (dryRun) {
    stdout.write(draft.text);
    return undefined;
  }
  writeFiles(path, draft, force);
  const config = loadConfiguration({ file: path, env, cwd });
  const written = [path, ...[...draft.secrets.keys()].map((name) => join(dirname(path), name))];
  stderr.write(`wrote ${written.join(", ")}\n`);
  const newKeyFile = draft.secrets.has(ALARM_PANEL_KEY_FILE)
    ? join(dirname(path), ALARM_PANEL_KEY_FILE)
    : undefined;
  describeAlarmPanel(config, newKeyFile ?? secretFiles["panel-key"], terminal);
  await addAdministrator(answers, secretFiles, config, terminal);
  return { config, text: draft.text };
}

/**
 * Writes the secret files and then the configuration that refers to them, each atomically.
 * @throws AppError `cannot-create` if a file already exists and may not be replaced, or cannot be written
 */
function writeFiles(path: string, { text, secrets }: Draft, canReplace: boolean): void {
  const folder = dirname(path);
  const files = [
    ...[...secrets].map(([name, secret]) => [join(folder, name), `${secret}\n`] as const),
    [path, text] as const,
  ];
  for (const [file] of files)
    if (!canReplace && existsSync(file))
      throw new AppError("cannot-create", `${file} already exists`, { hint: "Use --force to overwrite it." });
  try {
    mkdirSync(folder, { recursive: true, mode: 0o750 });
    for (const [file, content] of files) writeForService(file, content);
  } catch (cause) {
    throw new AppError("cannot-create", `cannot write into ${folder}: ${messageOf(cause)}`, {
      hint: "Run the command as a user with write permission, or specify another file with --config.",
      cause,
    });
  }
}

/** Template of the answers file for `--from`. */
function answersTemplate(): string {
  const lines = QUESTIONS.map(({ name, text, choices, isSecret }) => {
    const key = isSecret === true ? `${name}-file` : name;
    return `${key}: # ${text}${choices ? ` (${choices.join(", ")})` : ""}\n`;
  });
  return lines.join("");
}

function targetOf(config: string | undefined, { env, cwd }: Terminal): string {
  const named = config ?? env["SANTINELA_CONFIG"];
  return named === undefined ? newConfigFile({ env }) : resolve(cwd, named);
}

function answersOf(file: string): Answered {
  const given = new Map(parseAnswers(file, readText(file, "the answers")).map((item) => [item.name, item]));
  const answers: Record<string, string> = {};
  const secretFiles: Record<string, string> = {};
  for (const question of QUESTIONS) {
    const { name, isSecret, defaultAnswer } = question;
    const key = isSecret === true ? `${name}-file` : name;
    const item = given.get(key);
    // The template has a blank line for each question, also for those that do not apply.
    const isBlank = item === undefined || item.answer === "";
    if (isBlank) given.delete(key);
    if (question.when?.(answers) === false) continue;
    given.delete(key);
    if (isBlank && !defaultAnswer)
      throw new AppError("bad-data", `${item?.place ?? file}: ${key} is missing`, {
        hint: "Run santinela init --template for the possible answers.",
      });
    const answer = isBlank ? (defaultAnswer?.(answers) ?? "") : item.answer;
    const isFile = isSecret === true && answer !== "";
    if (isFile) secretFiles[name] = resolve(dirname(file), answer);
    const value = isFile ? readText(resolve(dirname(file), answer), key).trim() : answer;
    const problem = problemWith(question, value);
    if (problem !== undefined) throw new AppError("bad-data", `${item?.place ?? file}: ${problem}`);
    answers[name] = value;
  }
  for (const [key, { place }] of given)
    throw new AppError("bad-data", `${place}: unknown or unused answer ${key}`, {
      hint: "Run santinela init --template for the possible answers.",
    });
  return { answers, secretFiles };
}

async function addAdministrator(
  answers: SetupAnswers,
  secretFiles: SetupAnswers,
  config: Config,
  terminal: Terminal,
): Promise<void> {
  const email = answers["administrator"] ?? "";
  if (email === "") return;
  if (config.dataDir.startsWith("/var/lib/") && process.getuid?.() === 0) {
    // Files created by root would not be accessible to the service.
    const file = secretFiles["administrator-password"];
    terminal.stderr.write(
      `add the administrator as the service's user: sudo -u santinela santinela user add --email ${email} --role administrator --password-stdin${file === undefined ? "" : ` < ${file}`}\n`,
    );
    return;
  }
  const password = answers["administrator-password"] ?? "";
  await addAccount(config, terminal, { email, role: "administrator", password });
}

/** `http.configuration` of the file that is about to be replaced; undefined without one. */
function configurationEditor(path: string): string | undefined {
  if (!existsSync(path)) return undefined;
  const { document, errors } = parsedYaml(readText(path, "the configuration"), () => "");
  const value: unknown = errors.length > 0 ? undefined : document.getIn(["http", "configuration"]);
  return value === "panel" || value === "file-only" ? value : undefined;
}

function isSystemWide(path: string): boolean {
  return path.startsWith("/etc/");
}
