import {
  FOUND_ZONES,
  problemWith,
  QUESTIONS,
  type SetupAnswers,
  type SetupQuestion,
} from "../../config/setup-questions.ts";
import type { ProposedZone } from "../../domain/discovery/proposed-zone.ts";
import type { Prompt } from "../prompt.ts";
import type { Terminal } from "../terminal.ts";
import { offerLines, offerSensors } from "./offered-inputs.ts";

/** What a user has answered. */
export interface Interviewed {
  readonly answers: SetupAnswers;
  /** Zones of sensors that were found and chosen. */
  readonly found: readonly ProposedZone[];
}

/** Prompts for all questions that apply; offers the sensors at the broker before the first zone, and the free GPIO lines. */
export async function interview(prompt: Prompt, terminal: Terminal): Promise<Interviewed> {
  const answers: Record<string, string> = {};
  let found: readonly ProposedZone[] = [];
  for (const question of QUESTIONS) {
    const { name, when } = question;
    if (name === "zone") {
      found = await offerSensors(answers, prompt, terminal);
      if (found.length > 0) answers[FOUND_ZONES] = String(found.length);
    }
    if (when?.(answers) === false) continue;
    if (name === "zone-gpio") await offerLines(terminal);
    answers[name] = await answerTo(question, answers, prompt, terminal, (answer) =>
      name === "zone-id" && found.some(({ id }) => id === answer)
        ? "zone-id is the id of a found sensor"
        : undefined,
    );
  }
  return { answers, found };
}

/** Prompts for some questions again. @param names which @returns all answers */
export async function askedAgain(
  earlier: SetupAnswers,
  names: RegExp,
  prompt: Prompt,
  terminal: Terminal,
): Promise<SetupAnswers> {
  const answers = { ...earlier };
  for (const question of QUESTIONS) {
    const { name, isSecret } = question;
    if (!names.test(name) || question.when?.(answers) === false) continue;
    const before = isSecret === true ? undefined : earlier[name];
    const offered = before === undefined ? question : { ...question, defaultAnswer: () => before };
    answers[name] = await answerTo(offered, answers, prompt, terminal);
  }
  return answers;
}

/** Repeats a question after an invalid answer. */
async function answerTo(
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
