import { mergeSetupAnswers, currentAnswers } from "../config/merged-config.ts";
import { generateConfig, type KeptOptions } from "../config/generated-config.ts";
import { configurationText, newConfigFile, readConfiguration, type LoadOptions } from "../config/load.ts";
import { ALARM_PANEL_QUESTIONS } from "../config/alarm-panel-questions.ts";
import { problemWith, QUESTIONS, type SetupAnswers, type SetupQuestion } from "../config/setup-questions.ts";
import { AppError } from "../domain/errors.ts";
import type { DraftView, QuestionView } from "./administration-view.ts";
import type { SetupParts } from "./setup.ts";

/**
 * The questions of `santinela init` for these answers and, once complete, the configuration; nothing is written. An existing
 * configuration is continued: its answers are the defaults, and it loses no zone, broker or address.
 */
export function draftConfiguration(given: SetupAnswers, { config, load }: SetupParts): DraftView {
  const questions: QuestionView[] = [];
  const answers: Record<string, string> = {};
  const current = currentAnswersOf(config);
  for (const question of QUESTIONS) {
    if (isForTheTerminal(question) || question.when?.(answers) === false) continue;
    const { name, text, choices = null } = question;
    const fallback = current[name] ?? question.defaultAnswer?.(answers) ?? null;
    const typed = (given[name] ?? "").trim();
    const answer = typed === "" && fallback !== null ? fallback : typed;
    answers[name] = answer;
    questions.push({ name, text, choices, fallback, problem: problemWith(question, answer) ?? null });
  }
  const file = config.file ?? newConfigFile(load);
  const exists = config.file !== null;
  const isComplete = questions.every(({ problem }) => problem === null);
  if (!isComplete) return { questions, file, exists, configuration: null, secretFiles: [], errors: null };
  const { text: drafted, secrets } = generateConfig(answers, {}, keptOptions(config));
  const text = exists ? mergeSetupAnswers(configurationText(load).text, drafted) : drafted;
  const errors = errorsOf(file, text, load);
  // A password that the installation has already stays in its file.
  const secretFiles = [...secrets.keys()].filter((name) => text.includes(name));
  return { questions, file, exists, configuration: text, secretFiles, errors };
}

/**
 * Keeps the data directory, so that accounts and records are kept. A new file has the port in use, and lets administrators change
 * zones: as for a new package, its owner sees the line and stores the file.
 */
function keptOptions({ file, dataDir, http }: SetupParts["config"]): KeptOptions {
  if (file !== null) return { dataDir };
  return { dataDir, configuration: "panel", ...(http && http.port > 0 && { port: http.port }) };
}

function currentAnswersOf({ file, site, http, upstream, mqtt, zones }: SetupParts["config"]): SetupAnswers {
  if (file === null || !site || !http || upstream === undefined || !mqtt || !zones) return {};
  return currentAnswers({ site, http, upstream, mqtt, zones });
}

function errorsOf(file: string, text: string, load: LoadOptions): string | null {
  try {
    readConfiguration({ file, text }, { ...load, allowMissingFiles: true });
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

/**
 * Skipped in the web panel: the administrator already exists, and secrets are written to files on the device, such as the key of
 * an alarm panel.
 */
function isForTheTerminal(question: SetupQuestion): boolean {
  const { name, isSecret } = question;
  return isSecret === true || name === "administrator" || ALARM_PANEL_QUESTIONS.includes(question);
}
