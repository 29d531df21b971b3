import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import { ROLES, type Role } from "../domain/principal.ts";
import { prepareDataDir, signingKey } from "../ops/secrets.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { TokenService } from "../service/tokens.ts";
import { openMainDatabase } from "../store/main-database.ts";
import { readAll, type Terminal } from "./terminal.ts";

/** Adds an account to the service's own database; works whether the daemon runs or not. */
export async function userAdd(
  config: Config,
  { email, role, passwordStdin }: { email: string; role: string; passwordStdin?: boolean },
  terminal: Terminal,
): Promise<void> {
  if (!isRole(role))
    throw new AppError("usage", `${JSON.stringify(role)} is no role; use one of ${ROLES.join(", ")}`);
  const password = await passwordFrom(terminal, passwordStdin === true);
  const path = join(config.dataDir, "santinela.db");
  terminal.stderr.write(`database: ${path}\n`);
  prepareDataDir(config.dataDir);
  const database = openMainDatabase(path);
  try {
    const tokens = new TokenService({ database, clock: new SystemClock(), key: signingKey(config.dataDir) });
    const account = await tokens.addPerson(email, role, password);
    terminal.stdout.write(`added ${account.email} as ${account.role}\n`);
  } finally {
    database.close();
  }
}

function isRole(text: string): text is Role {
  return (ROLES as readonly string[]).includes(text);
}

async function passwordFrom({ stdin, stderr }: Terminal, fromStdin: boolean): Promise<string> {
  if (fromStdin) return (await readAll(stdin)).replace(/\r?\n$/, "");
  if (stdin.isTTY !== true)
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
