/** Draft of the first configuration; nothing is written. */
export interface SetupPort {
  /** Returns the questions for these answers and, once complete, the configuration. */
  draft(answers: Readonly<Record<string, string>>): DraftView;
}

export interface DraftView {
  /** In order; an answer may add or remove questions. */
  readonly questions: readonly QuestionView[];
  /** The text of the configuration; null while an answer is missing or invalid. */
  readonly configuration: string | null;
  /** Path of the configuration file. */
  readonly file: string;
  /** Whether the file exists and would be replaced. */
  readonly exists: boolean;
  /** Secret files that the configuration refers to. */
  readonly secretFiles: readonly string[];
  /** Errors of the configuration as `file:line:col: …`; null if it is valid. */
  readonly errors: string | null;
}

export interface QuestionView {
  readonly name: string;
  readonly text: string;
  /** Allowed answers; null for any text. */
  readonly choices: readonly string[] | null;
  /** Default for an empty answer; null if an answer is required. */
  readonly fallback: string | null;
  /** Problem of the answer; null if it is valid. */
  readonly problem: string | null;
}
