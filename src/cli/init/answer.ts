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
    const answer = typed === "" && offered !== undefined ? offered : chosenOf(typed, choices);
    const problem =
      problemWith(question, answer) ??
      otherProblem(answer) ??
      (await repetitionProblem(question, answer, prompt));
    if (problem === undefined) return answer;
    stderr.write(`  ${problem}\n`);
  }
}

/** The choice whose beginning was typed, such as `y`; the text itself if it is not the beginning of exactly one. */
function chosenOf(typed: string, choices: readonly string[] = []): string {
  const start = typed.toLowerCase();
  const [found, other] = choices.filter((choice) => choice.startsWith(start));
  return start === "" || found === undefined || other !== undefined ? typed : found;
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
