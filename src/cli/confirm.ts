import { createInterface } from "node:readline/promises";
import { AppError } from "../domain/errors.ts";
import { isInteractive, type Terminal } from "./terminal.ts";

/**
 * Asks for confirmation of an irreversible action; only `y` and `yes` confirm.
 * @param options yes: confirmed on the command line
 * @throws AppError `usage` without a terminal, `conflict` if not confirmed
 */
export async function confirm(
  question: string,
  { yes }: { yes: boolean },
  terminal: Terminal,
): Promise<void> {
  if (yes) return;
  const { stdin, stderr } = terminal;
  if (!isInteractive(terminal)) throw new AppError("usage", question, { hint: "Use --yes to confirm." });
  const prompt = createInterface({ input: stdin, output: stderr });
  const answer = await prompt.question(`${question} [y/N] `);
  prompt.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new AppError("conflict", "cancelled, no changes made");
}
