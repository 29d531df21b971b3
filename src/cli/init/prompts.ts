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

/** Asks a person the questions that their answers lead to; a wrong answer is asked for again. */
export async function interview(prompt: Prompt): Promise<SetupAnswers> {
  const answers: Record<string, string> = {};
  for (const question of QUESTIONS)
    if (question.when?.(answers) !== false) answers[question.name] = await prompt.ask(question, answers);
  return answers;
}

/** Asks on standard error, so that standard output stays what a dry run prints. Lines typed ahead are kept. */
export class Prompt {
  readonly #stderr: Writable;
  readonly #lines: Interface;
  readonly #typed: string[] = [];
  #wake: () => void = () => {};
  #isClosed = false;
  #isSecret = false;

  /** @throws AppError `usage` where nobody can be asked */
  constructor(terminal: Terminal) {
    const { stdin, stderr } = terminal;
    if (!isInteractive(terminal))
      throw new AppError("usage", "no terminal to ask on", {
        hint: "Give the answers in a file with --from; santinela init --questions lists what is asked.",
      });
    this.#stderr = stderr;
    // The terminal echoes what is typed through this, except a secret.
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
    const among = choices ? ` (${choices.join(", ")})` : "";
    for (;;) {
      const typed = await this.line(`${text}${among}${offered ? ` [${offered}]` : ""}: `, isSecret);
      const answer = typed === "" && offered !== undefined ? offered : typed;
      const problem = problemWith(question, answer);
      if (problem === undefined) return answer;
      this.#stderr.write(`  ${problem}\n`);
    }
  }

  /**
   * One line, without the blanks around it.
   * @throws AppError `usage` when no more is typed: the end of the input, or Ctrl-C
   */
  async line(text: string, isSecret = false): Promise<string> {
    // Before the question: an answer may come at once.
    this.#isSecret = isSecret;
    this.#stderr.write(text);
    if (this.#typed.length === 0 && !this.#isClosed)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    this.#isSecret = false;
    if (isSecret) this.#stderr.write("\n");
    const typed = this.#typed.shift();
    if (typed === undefined) throw new AppError("usage", "no more answers; what was asked so far is dropped");
    return typed.trim();
  }

  close(): void {
    this.#lines.close();
  }
}
