import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import { counted } from "../domain/headline-text.ts";
import { OBJECTIVE_TYPES, refFrom, refText, type ObjectiveRef } from "../domain/objective.ts";
import { ROLES, type Role } from "../domain/principal.ts";
import { localRemote, type Remote } from "../domain/remote.ts";
import { SetUpCode } from "../ops/set-up-code.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { AccountService } from "../service/accounts.ts";
import type { JsonOption } from "./command-group.ts";
import { withDatabase } from "./direct-database.ts";
import { Prompt } from "./prompt.ts";
import { commandLineActor, jsonText, type Terminal } from "./terminal.ts";

/** Adds an account. As all commands here, it works on the database whether the daemon runs or not. */
export async function userAdd(
  config: Config,
  terminal: Terminal,
  { email, role, passwordStdin }: { email: string; role: string; passwordStdin?: boolean },
): Promise<void> {
  const wanted = roleOf(role);
  const password = await passwordFrom(terminal, passwordStdin);
  await addAccount(config, terminal, { email, role: wanted, password });
}

/** Adds an account with a given password. @throws AppError `invalid` if the password is too weak */
export function addAccount(
  config: Config,
  terminal: Terminal,
  account: { email: string; role: Role; password: string },
): Promise<void> {
  return withAccounts(config, terminal, async (accounts) => {
    const { email, role } = await accounts.add(account, commandLineActor());
    terminal.stdout.write(`added ${email} as ${role}\n`);
  });
}

/** Lists the accounts. */
export function userList(config: Config, terminal: Terminal, { json }: JsonOption): Promise<void> {
  return withAccounts(config, terminal, async (accounts) => {
    const listed = (await accounts.list()).map(({ email, role, disabled, objectives }) => ({
      email,
      role,
      disabled,
      objectives: objectives?.map(refText) ?? null,
    }));
    const lines = listed.map(({ email, role, disabled, objectives }) => {
      const limit = objectives ? [counted(objectives.length, "objective")] : [];
      return `${[email, role, ...limit, ...(disabled ? ["disabled"] : [])].join("  ")}\n`;
    });
    terminal.stdout.write(json ? jsonText(listed) : lines.join(""));
  });
}

/** Sets a new password and revokes all tokens of the account. */
export async function userPassword(
  config: Config,
  terminal: Terminal,
  { email, passwordStdin }: { email: string; passwordStdin?: boolean },
): Promise<void> {
  const password = await passwordFrom(terminal, passwordStdin);
  await withAccounts(config, terminal, async (accounts) => {
    await accounts.setPassword(email, password, commandLineActor());
    terminal.stdout.write(`password of ${email} changed; existing sessions are ended\n`);
  });
}

/** Changes the role of an account. */
export function userRole(
  config: Config,
  terminal: Terminal,
  { email, role }: { email: string; role: string },
): Promise<void> {
  const wanted = roleOf(role);
  return withAccounts(config, terminal, async (accounts) => {
    await accounts.setRole(email, wanted, commandLineActor());
    terminal.stdout.write(`${email} is now ${wanted}; existing sessions are ended\n`);
  });
}

/** Limits the objectives that an account sees. */
export function userObjectives(
  config: Config,
  terminal: Terminal,
  { email, only, all }: { email: string; only?: readonly string[]; all?: boolean },
): Promise<void> {
  if ((only === undefined) === (all !== true))
    throw new AppError("usage", "--only and --all are both missing or both given", {
      hint: "Use either --only or --all.",
    });
  const objectives = only?.map(refOf);
  return withAccounts(config, terminal, async (accounts) => {
    await accounts.setObjectives(email, objectives, commandLineActor());
    const visible = objectives ? counted(objectives.length, "objective") : "all objectives";
    terminal.stdout.write(`${email} now sees ${visible}; existing sessions are ended\n`);
  });
}

/** Disables or enables an account. */
export function userDisable(
  config: Config,
  terminal: Terminal,
  { email, undo = false }: { email: string; undo?: boolean },
): Promise<void> {
  return withAccounts(config, terminal, async (accounts) => {
    await accounts.setDisabled(email, !undo, commandLineActor());
    terminal.stdout.write(`${email} is ${undo ? "enabled" : "disabled"}\n`);
  });
}

async function withAccounts(
  config: Config,
  terminal: Terminal,
  use: (accounts: Remote<AccountService>) => Promise<void>,
): Promise<void> {
  const clock = new SystemClock();
  const { database, dataDir } = config;
  if (database !== null) {
    const { withMovedCentre } = await import("./shared-database.ts");
    const { PostgresAccounts } = await import("../postgres/postgres-accounts.ts");
    await withMovedCentre({ database, dataDir }, terminal, (connections) =>
      use(new PostgresAccounts({ connections, clock })),
    );
    return;
  }
  terminal.stderr.write(`database: ${join(dataDir, "santinela.db")}\n`);
  // The unit that announces the code looks for its file.
  const warn = (): void => void terminal.stderr.write("the used set-up code cannot be removed\n");
  const onClaimed = (): void => new SetUpCode(dataDir).forget({ warn });
  await withDatabase(dataDir, (opened) =>
    use(localRemote(new AccountService({ database: opened, clock, onClaimed }))),
  );
}

function roleOf(word: string): Role {
  const role = ROLES.find((known) => known === word);
  if (!role)
    throw new AppError("usage", `${JSON.stringify(word)} is not a role; use one of ${ROLES.join(", ")}`);
  return role;
}

function refOf(word: string): ObjectiveRef {
  const ref = refFrom(word);
  if (!ref)
    throw new AppError("usage", `${JSON.stringify(word)} is not an objective`, {
      hint: `Use type and id, such as ${OBJECTIVE_TYPES[0]}/12; the types are ${OBJECTIVE_TYPES.join(", ")}.`,
    });
  return ref;
}

async function passwordFrom(terminal: Terminal, fromStdin = false): Promise<string> {
  if (fromStdin) return (await text(terminal.stdin)).replace(/\r?\n$/, "");
  const hint = "Pass it on standard input with --password-stdin.";
  const prompt = new Prompt(terminal, "no terminal for the password prompt", hint);
  return prompt.line("Password: ", true).finally(() => prompt.close());
}
