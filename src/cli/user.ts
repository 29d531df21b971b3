import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import { OBJECTIVE_TYPES, refFrom, refText, type ObjectiveRef } from "../domain/objective.ts";
import { ROLES, type Role } from "../domain/principal.ts";
import { prepareDataDir } from "../ops/secrets.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { commandLineActor } from "./actor.ts";
import { AccountService } from "../service/accounts.ts";
import { openMainDatabase } from "../store/main-database.ts";
import { isInteractive, readAll, type Terminal } from "./terminal.ts";

/** Adds an account to the service's own database; works, like all of these, whether the daemon runs or not. */
export async function userAdd(
  config: Config,
  { email, role, passwordStdin }: { email: string; role: string; passwordStdin?: boolean },
  terminal: Terminal,
): Promise<void> {
  const wanted = roleOf(role);
  const password = await passwordFrom(terminal, passwordStdin === true);
  await addAccount(config, { email, role: wanted, password }, terminal);
}

/** Adds an account whose password is known already. @throws AppError `invalid` for a password that is too weak */
export function addAccount(
  config: Config,
  account: { email: string; role: Role; password: string },
  terminal: Terminal,
): Promise<void> {
  return withAccounts(config, terminal, async (accounts) => {
    const { email, role } = await accounts.add(account, commandLineActor());
    terminal.stdout.write(`added ${email} as ${role}\n`);
  });
}

/** Lists the accounts. */
export function userList(config: Config, { json }: { json: boolean }, terminal: Terminal): Promise<void> {
  return withAccounts(config, terminal, (accounts) => {
    const people = accounts.list().map(({ email, role, disabled, objectives }) => ({
      email,
      role,
      disabled,
      objectives: objectives?.map(refText) ?? null,
    }));
    const lines = people.map(({ email, role, disabled, objectives }) => {
      const bound = objectives ? [countText(objectives.length)] : [];
      return `${[email, role, ...bound, ...(disabled ? ["disabled"] : [])].join("  ")}\n`;
    });
    terminal.stdout.write(json ? `${JSON.stringify(people, null, 2)}\n` : lines.join(""));
  });
}

/** Sets a new password; tokens given out so far are invalid from now on. */
export async function userPassword(
  config: Config,
  { email, passwordStdin }: { email: string; passwordStdin?: boolean },
  terminal: Terminal,
): Promise<void> {
  const password = await passwordFrom(terminal, passwordStdin === true);
  await withAccounts(config, terminal, async (accounts) => {
    await accounts.setPassword(email, password, commandLineActor());
    terminal.stdout.write(`new password for ${email}; it must sign in again\n`);
  });
}

/** Gives an account another role. */
export function userRole(
  config: Config,
  { email, role }: { email: string; role: string },
  terminal: Terminal,
): Promise<void> {
  const wanted = roleOf(role);
  return withAccounts(config, terminal, (accounts) => {
    accounts.setRole(email, wanted, commandLineActor());
    terminal.stdout.write(`${email} is ${wanted} now, and must sign in again\n`);
  });
}

/** Sets which objectives the lists show an account. */
export function userObjectives(
  config: Config,
  { email, only, all }: { email: string; only?: readonly string[]; all?: boolean },
  terminal: Terminal,
): Promise<void> {
  if ((only === undefined) === (all !== true))
    throw new AppError("usage", "the objectives are missing or contradict each other", {
      hint: "Give either --only or --all.",
    });
  const objectives = only?.map(refOf);
  return withAccounts(config, terminal, (accounts) => {
    accounts.setObjectives(email, objectives, commandLineActor());
    const seen = objectives ? countText(objectives.length) : "all objectives";
    terminal.stdout.write(`${email} sees ${seen} now, and must sign in again\n`);
  });
}

/** Locks an account out, or lets it in again. */
export function userDisable(
  config: Config,
  { email, disabled }: { email: string; disabled: boolean },
  terminal: Terminal,
): Promise<void> {
  return withAccounts(config, terminal, (accounts) => {
    accounts.setDisabled(email, disabled, commandLineActor());
    terminal.stdout.write(`${email} is ${disabled ? "disabled" : "enabled"}\n`);
  });
}

async function withAccounts(
  config: Config,
  terminal: Terminal,
  use: (accounts: AccountService) => void | Promise<void>,
): Promise<void> {
  const path = join(config.dataDir, "santinela.db");
  terminal.stderr.write(`database: ${path}\n`);
  prepareDataDir(config.dataDir);
  const database = openMainDatabase(path);
  try {
    await use(new AccountService({ database, clock: new SystemClock() }));
  } finally {
    database.close();
  }
}

function roleOf(text: string): Role {
  const role = ROLES.find((known) => known === text);
  if (!role)
    throw new AppError("usage", `${JSON.stringify(text)} is no role; use one of ${ROLES.join(", ")}`);
  return role;
}

function refOf(text: string): ObjectiveRef {
  const ref = refFrom(text);
  if (!ref)
    throw new AppError("usage", `${JSON.stringify(text)} is not an objective`, {
      hint: `Write its kind and its id, such as ${OBJECTIVE_TYPES[0]}/12; the kinds are ${OBJECTIVE_TYPES.join(", ")}.`,
    });
  return ref;
}

function countText(count: number): string {
  return count === 1 ? "1 objective" : `${count} objectives`;
}

async function passwordFrom(terminal: Terminal, fromStdin: boolean): Promise<string> {
  const { stdin, stderr } = terminal;
  if (fromStdin) return (await readAll(stdin)).replace(/\r?\n$/, "");
  if (!isInteractive(terminal))
    throw new AppError("usage", "no terminal to ask for the password on", {
      hint: "Give it on standard input with --password-stdin.",
    });
  stderr.write("Password: ");
  // The terminal echoes nothing: what is typed goes to an output that writes nothing.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({ input: stdin, output: silent, terminal: true });
  const password = await prompt.question("");
  prompt.close();
  stderr.write("\n");
  return password;
}
