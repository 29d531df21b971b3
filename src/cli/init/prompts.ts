import { createInterface, type Interface } from "node:readline";
import { Writable } from "node:stream";
import { AppError } from "../../domain/errors.ts";
import { isInteractive, type Terminal } from "../terminal.ts";
import {
  problemWith,
  QUESTIONS,
  type SetupAnswers,
  type SetupQuestion,
} from "../../config/setup-questions.ts";

/** Prompts for all questions that apply; repeats a question after an invalid answer. */
export async function interview(prompt: Prompt): Promise<SetupAnswers> {
  const answers: Record<string, string> = {};
  for (const question of QUESTIONS)
    if (question.when?.(answers) !== false) answers[question.name] = await prompt.ask(question, answers);
  return answers;
}

/** Prompts on standard error, so that standard output holds only results. Lines typed ahead are kept. */
export class Prompt {
  readonly #stderr: Writable;
  readonly #lines: Interface;
  readonly #typed: string[] = [];
  #wake: () => void = () => {};
  #isClosed = false;
  #isSecret = false;

  /** @throws AppError `usage` without a terminal */
  constructor(terminal: Terminal) {
    const { stdin, stderr } = terminal;
    if (!isInteractive(terminal))
      throw new AppError("usage", "no terminal for prompts", {
        hint: "Use an answers file with --from; santinela init --template prints a template.",
      });
    this.#stderr = stderr;
    // Echoes typed characters, except in a secret.
    const echo = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (!this.#isSecret) stderr.write(chunk);
        done();
      },
    });
    this.#lines = createInterface({ input: stdin, output: echo, terminal: true });
    this.#lines.on("line", (line) => {
      this.#typed.push(line);
      this.#wake();
    });
    this.#lines.once("close", () => {
      this.#isClosed = true;
      this.#wake();
    });
  }

  async ask(question: SetupQuestion, answers: SetupAnswers): Promise<string> {
    const { text, choices, defaultAnswer, isSecret } = question;
    const offered = defaultAnswer?.(answers);
    const options = choices ? ` (${choices.join(", ")})` : "";
    for (;;) {
      const typed = await this.line(`${text}${options}${offered ? ` [${offered}]` : ""}: `, isSecret);
      const answer = typed === "" && offered !== undefined ? offered : typed;
      const problem = problemWith(question, answer);
      if (problem === undefined) return answer;
      this.#stderr.write(`  ${problem}\n`);
    }
  }

  /**
   * Prompts for one line.
   * @returns the line without surrounding white space
   * @throws AppError `usage` at the end of the input or after Ctrl-C
   */
  async line(text: string, isSecret = false): Promise<string> {
    // Set before the prompt is written: the answer may arrive immediately.
    this.#isSecret = isSecret;
    this.#stderr.write(text);
    if (this.#typed.length === 0 && !this.#isClosed)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    this.#isSecret = false;
    if (isSecret) this.#stderr.write("\n");
    const typed = this.#typed.shift();
    if (typed === undefined) throw new AppError("usage", "input ended; nothing was written");
    return typed.trim();
  }

  close(): void {
    this.#lines.close();
  }
}
