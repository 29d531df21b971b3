import { createInterface } from "node:readline/promises";
import { AppError } from "../domain/errors.ts";
import { isInteractive, type Terminal } from "./terminal.ts";

/**
 * Has a person confirm what cannot be taken back; anything but `y` or `yes` is a no.
 * @param options yes: it was said on the command line already
 * @throws AppError `usage` where nobody can be asked, `conflict` after a no
 */
export async function confirm(
  question: string,
  { yes }: { yes: boolean },
  terminal: Terminal,
): Promise<void> {
  if (yes) return;
  const { stdin, stderr } = terminal;
  if (!isInteractive(terminal)) throw new AppError("usage", question, { hint: "Add --yes to go on." });
  const prompt = createInterface({ input: stdin, output: stderr });
  const answer = await prompt.question(`${question} [y/N] `);
  prompt.close();
  if (!/^y(es)?$/i.test(answer.trim())) throw new AppError("conflict", "nothing was changed");
}
