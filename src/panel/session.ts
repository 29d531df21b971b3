import { signal } from "@preact/signals";
import type { AccessToken } from "../generated/types.ts";
import type { AccountView } from "../site/administration-view.ts";
import { pause } from "./clock.ts";
import { TOKEN_KEY } from "./early-request.ts";
import { apiPath, ApiError, send, SIGNED_OUT_CODE } from "./http.ts";
import { forgetList } from "./route.ts";

/**
 * - `set-up`: the initial administrator is unclaimed, so no user can sign in yet.
 * - `out`: no user is signed in. `in`: a user is signed in.
 * - `first-password`: signed in with an initial password, which must be replaced.
 * - `expired`: the token has expired; the page stays and asks for the password.
 */
export type SessionState = "starting" | "set-up" | "out" | "first-password" | "in" | "expired";

export const sessionState = signal<SessionState>("starting");
export const account = signal<AccountView | undefined>(undefined);

/** Whether the daemon has not answered when the page asked who uses it. */
export const isUnanswered = signal(false);

const RETRY_MS = 1_000;
let waiting: (() => void)[] = [];
let signOuts = 0;

export function token(): string | undefined {
  return sessionStorage.getItem(TOKEN_KEY) ?? undefined;
}

/** Resumes the session of this tab after a reload; retries while the daemon starts. */
export async function resume(): Promise<void> {
  while (token() !== undefined && sessionState.value === "starting") {
    try {
      await enter();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 401) signOut();
      else {
        isUnanswered.value = true;
        await pause(RETRY_MS);
      }
    }
  }
  if (sessionState.value === "starting") sessionState.value = (await needsSetUp()) ? "set-up" : "out";
}

/** Retries while the daemon starts: until the set-up is done no user can sign in. */
async function needsSetUp(): Promise<boolean> {
  for (;;) {
    try {
      return ((await (await send("/site/setup", undefined)).json()) as { isOpen: boolean }).isOpen;
    } catch (error) {
      // What has no JSON is not from the daemon.
      const status = error instanceof ApiError ? error.status : 0;
      if (status > 0 && status < 500) return false;
      isUnanswered.value = true;
      await pause(RETRY_MS);
    }
  }
}

/** Claims the initial administrator account and signs in. @throws ApiError */
export async function setUp(code: string, email: string, password: string): Promise<void> {
  await enterWith(send("/site/setup", undefined, { method: "POST", body: { code, email, password } }));
}

/** @throws ApiError with the message of the daemon */
export async function signIn(email: string, password: string): Promise<void> {
  await enterWith(send(apiPath("/auth/token"), undefined, { method: "POST", body: { email, password } }));
}

/** Changes the password of the signed-in user. @throws ApiError */
export async function changePassword(currentPassword: string, password: string): Promise<void> {
  const body = { currentPassword, password };
  await enterWith(send("/site/password", token(), { method: "POST", body }));
}

/** Ends what this user has begun: the next one may be another. */
export function signOut(): void {
  signOuts += 1;
  forgetList();
  sessionStorage.removeItem(TOKEN_KEY);
  account.value = undefined;
  sessionState.value = "out";
  releaseWaiting();
}

/** Called when the daemon rejects a token. Account and page stay. A late response says nothing about that of a later sign-in. */
export function expire({ token: rejected }: ApiError): void {
  if (rejected !== token()) return;
  sessionStorage.removeItem(TOKEN_KEY);
  sessionState.value = account.value ? "expired" : "out";
}

/** Resolves when the user is signed in, or signed in again. @throws ApiError once the user has signed out */
export async function signedIn(): Promise<void> {
  while (sessionState.value !== "in") {
    if (sessionState.value === "out") throw signedOut();
    await new Promise<void>((resolve) => waiting.push(resolve));
  }
}

/**
 * What `work` gives, unless its user has signed out meanwhile: what follows it would be done in the name of the next one.
 * @throws ApiError then, whatever `work` gives
 */
export async function ofOneUser<T>(work: Promise<T>): Promise<T> {
  const before = signOuts;
  await work.catch(() => {});
  if (before !== signOuts) throw signedOut();
  return work;
}

function signedOut(): ApiError {
  return new ApiError(0, "", { code: SIGNED_OUT_CODE });
}

function releaseWaiting(): void {
  const released = waiting;
  waiting = [];
  for (const resolve of released) resolve();
}

async function enterWith(response: Promise<Response>): Promise<void> {
  sessionStorage.setItem(TOKEN_KEY, (await bodyIn<AccessToken>(response)).token);
  await enter();
}

/** A late response must not bring the former user back. */
function bodyIn<T>(response: Promise<Response>): Promise<T> {
  return ofOneUser(response.then((one) => one.json() as Promise<T>));
}

async function enter(): Promise<void> {
  const current = await bodyIn<AccountView>(send("/site/account", token()));
  account.value = current;
  sessionState.value = current.mustChangePassword ? "first-password" : "in";
  if (!current.mustChangePassword) releaseWaiting();
}

/** Whether the user may use the API and change anything. */
export function mayOperate(): boolean {
  return account.value?.role === "operator" || account.value?.role === "administrator";
}

/** Whether the user may administer this installation. */
export function mayAdminister(): boolean {
  return account.value?.role === "administrator";
}
