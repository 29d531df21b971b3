/** What the set-up asks of the configuration; nothing is written. */
export interface SetupPort {
  /** What is asked after these answers and, once they suffice, the configuration that they make. */
  draft(answers: Readonly<Record<string, string>>): DraftView;
}

export interface DraftView {
  /** In the order in which they are asked; an answer may add some or take some away. */
  readonly questions: readonly QuestionView[];
  /** The text of the configuration; null while an answer is missing or wrong. */
  readonly configuration: string | null;
  /** Where the daemon looks for its configuration. */
  readonly file: string;
  /** Whether the running one stands there, and would be replaced. */
  readonly exists: boolean;
  /** Files of secrets beside it that the configuration names. */
  readonly secretFiles: readonly string[];
  /** What the daemon would say against that configuration, `file:line:col: …`; null when nothing. */
  readonly errors: string | null;
}

export interface QuestionView {
  readonly name: string;
  readonly text: string;
  /** The answers that there are; null when any text may be one. */
  readonly choices: readonly string[] | null;
  /** What an empty answer means; null when something must be said. */
  readonly fallback: string | null;
  /** What is wrong with the answer; null when nothing is. */
  readonly problem: string | null;
}
