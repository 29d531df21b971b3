import type { Config } from "../config/config.ts";
import { generateConfig } from "../config/generated-config.ts";
import { newConfigFile, readConfiguration, type LoadOptions } from "../config/load.ts";
import { problemWith, QUESTIONS, type SetupAnswers, type SetupQuestion } from "../config/setup-questions.ts";
import { AppError } from "../domain/errors.ts";
import type { DraftView, QuestionView, SetupPort } from "../http/site/setup-port.ts";

/** The questions of `santinela init` for the web panel, and the resulting configuration. */
export class SiteSetup implements SetupPort {
  readonly #config: Pick<Config, "file" | "dataDir">;
  readonly #load: LoadOptions;

  /** @param load how the running configuration was located */
  constructor(config: Pick<Config, "file" | "dataDir">, load: LoadOptions) {
    this.#config = config;
    this.#load = load;
  }

  draft(given: SetupAnswers): DraftView {
    const questions: QuestionView[] = [];
    const answers: Record<string, string> = {};
    for (const question of QUESTIONS) {
      if (isForTheTerminal(question) || question.when?.(answers) === false) continue;
      const { name, text, choices = null } = question;
      const fallback = question.defaultAnswer?.(answers) ?? null;
      const typed = (given[name] ?? "").trim();
      const answer = typed === "" && fallback !== null ? fallback : typed;
      answers[name] = answer;
      questions.push({ name, text, choices, fallback, problem: problemWith(question, answer) ?? null });
    }
    const file = this.#config.file ?? newConfigFile(this.#load);
    const exists = this.#config.file !== null;
    const isComplete = questions.every(({ problem }) => problem === null);
    if (!isComplete) return { questions, file, exists, configuration: null, secretFiles: [], errors: null };
    // Keep the data directory, so that accounts and records are kept.
    const { text, secrets } = generateConfig(answers, {}, this.#config.dataDir);
    const errors = this.#errorsOf(file, text);
    return {
      questions,
      file,
      exists,
      configuration: text,
      secretFiles: [...secrets.keys()],
      errors,
    };
  }

  #errorsOf(file: string, text: string): string | null {
    try {
      readConfiguration({ file, text }, { ...this.#load, allowMissingPasswords: true });
      return null;
    } catch (error) {
      if (error instanceof AppError) return error.message;
      throw error;
    }
  }
}

/** Skipped in the web panel: the administrator already exists, and secrets are written to files on the device. */
function isForTheTerminal({ name, isSecret }: SetupQuestion): boolean {
  return isSecret === true || name === "administrator";
}
