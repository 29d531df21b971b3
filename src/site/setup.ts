import type { Request, Router } from "express";
import type { Config } from "../config/config.ts";
import { generateConfig } from "../config/generated-config.ts";
import { newConfigFile, readConfiguration, type LoadOptions } from "../config/load.ts";
import { problemWith, QUESTIONS, type SetupAnswers, type SetupQuestion } from "../config/setup-questions.ts";
import { AppError } from "../domain/errors.ts";
import { validateSetUp } from "../generated/validators.js";
import type { AuthGuards } from "../http/auth-guards.ts";
import { readBody, validated } from "../http/body.ts";
import { addResource, json, PUBLIC } from "../http/resource.ts";
import type { AccountService } from "../service/accounts.ts";
import type { TokenService } from "../service/tokens.ts";
import type { DraftView, QuestionView } from "./administration-view.ts";
import { requestObject } from "./request-parameters.ts";

/** Where the running configuration is, and how it was located. */
export interface SetupParts {
  readonly config: Pick<Config, "file" | "dataDir">;
  readonly load: LoadOptions;
}

/**
 * Set-up of a new installation: its administrator and its configuration. Public are only whether the initial administrator
 * is unclaimed, and the claim with the one-time code.
 */
export function setupRoutes(
  router: Router,
  guards: AuthGuards,
  parts: { readonly tokens: TokenService; readonly accounts: AccountService; readonly setup: SetupParts },
): void {
  const { tokens, accounts, setup } = parts;
  addResource(router, "/site/setup", PUBLIC, {
    get: json(() => ({ isOpen: accounts.initialAdministrator() !== undefined })),
    post: [readBody, json((request) => claim(request, tokens, accounts))],
  });
  addResource(router, "/site/setup/draft", guards.administrator, {
    post: [readBody, json((request) => draftConfiguration(answersOf(request), setup))],
  });
}

/** Replaces the initial administrator by the given account. @returns its token */
async function claim(request: Request, tokens: TokenService, accounts: AccountService) {
  const { code, email, password } = validated(validateSetUp, request.body);
  const from = request.ip ?? "control socket";
  const first = accounts.initialAdministrator();
  if (!first)
    throw new AppError("conflict", "this installation has already been set up", { hint: "Sign in." });
  const { id: accountId, role } = first;
  // Rate-limited like every password.
  const account = await tokens.accountOf({ accountId, email: first.email, role, from }, code.trim(), {
    hasToken: false,
  });
  if (!account) throw new AppError("forbidden", "invalid one-time code");
  await accounts.claim(account, { email, password }, { who: email, from });
  return tokens.signIn(email, password, from);
}

/** @throws AppError `invalid` if an answer is not a text */
function answersOf(request: Request): Record<string, string> {
  return Object.fromEntries(
    Object.entries(requestObject(request)).map(([name, answer]) => {
      if (typeof answer !== "string")
        throw new AppError("invalid", `the answer to ${JSON.stringify(name)} must be a text`);
      return [name, answer];
    }),
  );
}

/** The questions of `santinela init` for these answers and, once complete, the configuration; nothing is written. */
function draftConfiguration(given: SetupAnswers, { config, load }: SetupParts): DraftView {
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
  const file = config.file ?? newConfigFile(load);
  const exists = config.file !== null;
  const isComplete = questions.every(({ problem }) => problem === null);
  if (!isComplete) return { questions, file, exists, configuration: null, secretFiles: [], errors: null };
  // Keep the data directory, so that accounts and records are kept.
  const { text, secrets } = generateConfig(answers, {}, config.dataDir);
  const errors = errorsOf(file, text, load);
  return { questions, file, exists, configuration: text, secretFiles: [...secrets.keys()], errors };
}

function errorsOf(file: string, text: string, load: LoadOptions): string | null {
  try {
    readConfiguration({ file, text }, { ...load, allowMissingPasswords: true });
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

/** Skipped in the web panel: the administrator already exists, and secrets are written to files on the device. */
function isForTheTerminal({ name, isSecret }: SetupQuestion): boolean {
  return isSecret === true || name === "administrator";
}
