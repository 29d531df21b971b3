import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import { AppError } from "../domain/errors.ts";
import type { Terminal } from "./terminal.ts";

/** Prompts on standard error, so that standard output holds only results. Lines typed ahead are kept. */
export class Prompt {
  readonly #stderr: Writable;
  readonly #lines: Interface;
  readonly #typed: AsyncIterator<string>;
  #isSecret = false;

  /**
   * @param refusal message without a terminal or with `--no-input`, and the remedy
   * @throws AppError `usage` with that message
   */
  constructor({ stdin, stderr, noInput }: Terminal, refusal: string, hint: string) {
    if (stdin.isTTY !== true || noInput === true) throw new AppError("usage", refusal, { hint });
    this.#stderr = stderr;
    // Echoes typed characters, except in a secret.
    const echo = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (!this.#isSecret) stderr.write(chunk);
        done();
      },
    });
    this.#lines = createInterface({ input: stdin, output: echo, terminal: true });
    this.#typed = this.#lines[Symbol.asyncIterator]();
  }

  /**
   * Prompts for one line.
   * @throws AppError `usage` at the end of the input or after Ctrl-C
   */
  async line(text: string, isSecret = false): Promise<string> {
    // Set before the prompt is written: the answer may arrive immediately.
    this.#isSecret = isSecret;
    this.#stderr.write(text);
    const { done, value } = await this.#typed.next();
    this.#isSecret = false;
    if (isSecret) this.#stderr.write("\n");
    if (done === true) throw new AppError("usage", "input ended; nothing was written");
    return value;
  }

  close(): void {
    this.#lines.close();
  }
}

/**
 * Asks for confirmation of an irreversible action; only `y` and `yes` confirm.
 * @param options yes: confirmed on the command line
 * @throws AppError `usage` without a terminal, `conflict` if not confirmed
 */
export async function confirm(
  terminal: Terminal,
  question: string,
  { yes = false }: { readonly yes?: boolean },
): Promise<void> {
  if (yes) return;
  const prompt = new Prompt(terminal, question, "Use --yes to confirm.");
  const answer = await prompt.line(`${question} [y/N] `).finally(() => prompt.close());
  if (!/^y(es)?$/i.test(answer.trim())) throw new AppError("conflict", "cancelled, no changes made");
}
