import {
  FOUND_ZONES,
  QUESTIONS,
  type SetupAnswers,
  type SetupQuestion,
} from "../../config/setup-questions.ts";
import type { ProposedZone } from "../../domain/discovery/proposed-zone.ts";
import type { Prompt } from "../prompt.ts";
import type { Terminal } from "../terminal.ts";
import { answerTo } from "./answer.ts";
import { offerBrokers } from "./found-brokers.ts";
import { offerLines, offerSensors } from "./offered-inputs.ts";

/** What a user has answered. */
export interface InterviewResult {
  readonly answers: SetupAnswers;
  /** Zones of sensors that were found and chosen. */
  readonly found: readonly ProposedZone[];
}

/**
 * Prompts for all questions that apply; offers the brokers on this machine, the sensors at the broker before the first zone, and the
 * free GPIO lines.
 * @param current what the replaced configuration answers, offered in place of the usual defaults
 */
export async function interview(
  prompt: Prompt,
  terminal: Terminal,
  current: SetupAnswers,
): Promise<InterviewResult> {
  const answers: Record<string, string> = {};
  let found: readonly ProposedZone[] = [];
  let brokerUrl: string | undefined;
  for (const question of QUESTIONS) {
    const { name, when } = question;
    if (name === "broker") brokerUrl = await offerBrokers(terminal);
    if (name === "zone") {
      found = await offerSensors(answers, prompt, terminal);
      if (found.length > 0) answers[FOUND_ZONES] = String(found.length);
    }
    if (when?.(answers) === false) continue;
    if (name === "zone-gpio") await offerLines(terminal);
    const offered = current[name] ?? (name === "broker-url" ? brokerUrl : undefined);
    answers[name] = await answerTo(offering(question, offered), answers, prompt, terminal, (answer) =>
      name === "zone-id" && found.some(({ id }) => id === answer)
        ? "zone-id is the id of a found sensor"
        : undefined,
    );
  }
  return { answers, found };
}

/** Prompts for some questions again. @param names which @returns all answers */
export async function repeatQuestions(
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
    answers[name] = await answerTo(offering(question, before), answers, prompt, terminal);
  }
  return answers;
}

function offering(question: SetupQuestion, answer: string | undefined): SetupQuestion {
  return answer === undefined ? question : { ...question, defaultAnswer: () => answer };
}
