import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { readAnswers } from "../../config/answers-file.ts";
import type { Config } from "../../config/config.ts";
import { fileToMake, loadConfiguration, readConfiguration } from "../../config/load.ts";
import { AppError, messageOf } from "../../domain/errors.ts";
import { addAccount } from "../user.ts";
import type { Terminal } from "../terminal.ts";
import { generateConfig } from "../../config/generated-config.ts";
import { writeFiles } from "./configuration-files.ts";
import { awaitFirstTrip } from "./first-trip.ts";
import { interview, Prompt } from "./prompts.ts";
import { problemWith, QUESTIONS, type SetupAnswers } from "../../config/setup-questions.ts";

export interface InitOptions {
  /** The configuration to be made; undefined for the one that the daemon would find by itself. */
  readonly config: string | undefined;
  /** A file of answers; undefined to ask a person. */
  readonly from: string | undefined;
  /** Prints what would be written, and writes nothing. */
  readonly dryRun: boolean;
  /** Replaces what is there. */
  readonly force: boolean;
}

interface Answered {
  readonly answers: SetupAnswers;
  /** Question -> file that holds its answer already. */
  readonly secretFiles: SetupAnswers;
}

/**
 * Makes a first configuration out of answers, and with a person waits for the first trip of its first zone.
 * @throws AppError `cannot-create` when there is a configuration already, `bad-data` for answers that are none
 */
export async function init(options: InitOptions, terminal: Terminal): Promise<void> {
  const path = targetOf(options.config, terminal);
  if (!options.dryRun && !options.force && existsSync(path))
    throw new AppError("cannot-create", `${path} is there already`, {
      hint: "Change that file with an editor, or add --force to replace it.",
    });
  if (options.from === undefined) await askAndMake(path, options, terminal);
  else await make(path, answersOf(resolve(terminal.cwd, options.from)), options, terminal);
  if (!options.dryRun) terminal.stdout.write(nextSteps(path));
}

async function askAndMake(path: string, options: InitOptions, terminal: Terminal): Promise<void> {
  const prompt = new Prompt(terminal);
  try {
    const made = await make(path, { answers: await interview(prompt), secretFiles: {} }, options, terminal);
    if (made) await awaitFirstTrip(made.config, made.text, prompt, terminal);
  } finally {
    prompt.close();
  }
}

/** @returns what was written; undefined after a dry run */
async function make(
  path: string,
  { answers, secretFiles }: Answered,
  { dryRun, force }: InitOptions,
  terminal: Terminal,
): Promise<{ config: Config; text: string } | undefined> {
  const { stdout, stderr, env, cwd } = terminal;
  const draft = generateConfig(answers, secretFiles, isSystemWide(path) ? "/var/lib/santinela" : undefined);
  // What is wrong is told before anything is written.
  readConfiguration({ file: path, text: draft.text }, { env, cwd, passwordsMayBeMissing: true });
  if (dryRun) {
    stdout.write(draft.text);
    return undefined;
  }
  writeFiles(path, draft, force);
  const config = loadConfiguration({ file: path, env, cwd });
  const written = [path, ...[...draft.secrets.keys()].map((name) => join(dirname(path), name))];
  stderr.write(`wrote ${written.join(", ")}\n`);
  await addAdministrator(answers, secretFiles, config, terminal);
  return { config, text: draft.text };
}

/** What is asked, for whoever writes a file of answers. */
export function questionList(): string {
  const lines = QUESTIONS.map(({ name, text, choices, isSecret }) => {
    const key = isSecret === true ? `${name}-file` : name;
    return `${key}: # ${text}${choices ? ` (${choices.join(", ")})` : ""}\n`;
  });
  return lines.join("");
}

function targetOf(config: string | undefined, { env, cwd }: Terminal): string {
  const named = config ?? env["SANTINELA_CONFIG"];
  return named === undefined ? fileToMake({ env }) : resolve(cwd, named);
}

function answersOf(file: string): Answered {
  const given = new Map(readAnswers(file, textOf(file, "the answers")).map((item) => [item.name, item]));
  const answers: Record<string, string> = {};
  const secretFiles: Record<string, string> = {};
  for (const question of QUESTIONS) {
    if (question.when?.(answers) === false) continue;
    const { name, isSecret, defaultAnswer } = question;
    const key = isSecret === true ? `${name}-file` : name;
    const item = given.get(key);
    given.delete(key);
    if (!item && !defaultAnswer)
      throw new AppError("bad-data", `${file}: ${key} is missing`, {
        hint: "santinela init --questions lists what is asked.",
      });
    const answer = item?.answer ?? defaultAnswer?.(answers) ?? "";
    if (isSecret === true) secretFiles[name] = resolve(dirname(file), answer);
    const value = isSecret === true ? textOf(resolve(dirname(file), answer), key).trim() : answer;
    const problem = problemWith(question, value);
    if (problem !== undefined) throw new AppError("bad-data", `${item?.place ?? file}: ${problem}`);
    answers[name] = value;
  }
  for (const [key, { place }] of given)
    throw new AppError("bad-data", `${place}: nothing is asked by the name of ${key} after these answers`, {
      hint: "santinela init --questions lists what is asked.",
    });
  return { answers, secretFiles };
}

function textOf(file: string, what: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new AppError("no-input", `cannot read ${what} ${file}: ${messageOf(cause)}`, { cause });
  }
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
    // Files that root makes there would be closed to the service.
    const file = secretFiles["administrator-password"];
    terminal.stderr.write(
      `add the administrator as the service's user: sudo -u santinela santinela user add --email ${email} --role administrator --password-stdin${file === undefined ? "" : ` < ${file}`}\n`,
    );
    return;
  }
  const password = answers["administrator-password"] ?? "";
  await addAccount(config, { email, role: "administrator", password }, terminal);
}

function isSystemWide(path: string): boolean {
  return path.startsWith("/etc/");
}

function nextSteps(path: string): string {
  return isSystemWide(path)
    ? "Start it: systemctl enable --now santinela. Then: santinela zones watch\n"
    : `Start it: santinela serve --config ${path}. Then: santinela zones watch --config ${path}\n`;
}
