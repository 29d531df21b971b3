import { problemWith, type SetupAnswers, type SetupQuestion } from "../../config/setup-questions.ts";
import type { Prompt } from "../prompt.ts";
import type { Terminal } from "../terminal.ts";

/** Repeats a question after an invalid answer. */
export async function answerTo(
  question: SetupQuestion,
  answers: SetupAnswers,
  prompt: Prompt,
  { stderr }: Terminal,
  otherProblem: (answer: string) => string | undefined = () => undefined,
): Promise<string> {
  const { text, choices, defaultAnswer, isSecret } = question;
  const offered = defaultAnswer?.(answers);
  const line = `${text}${choices ? ` (${choices.join(", ")})` : ""}${offered ? ` [${offered}]` : ""}: `;
  for (;;) {
    const typed = (await prompt.line(line, isSecret)).trim();
    const answer = typed === "" && offered !== undefined ? offered : typed;
    const problem =
      problemWith(question, answer) ??
      otherProblem(answer) ??
      (await repetitionProblem(question, answer, prompt));
    if (problem === undefined) return answer;
    stderr.write(`  ${problem}\n`);
  }
}

/** Asks for a new password twice; what was typed is not shown. @returns the problem if the two differ */
async function repetitionProblem(
  { isNewSecret }: SetupQuestion,
  answer: string,
  prompt: Prompt,
): Promise<string | undefined> {
  if (isNewSecret !== true) return undefined;
  return (await prompt.line("Repeat the password: ", true)).trim() === answer
    ? undefined
    : "the two passwords differ; enter them again";
}
