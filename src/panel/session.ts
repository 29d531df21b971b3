import { signal } from "@preact/signals";
import type { AccessToken } from "../generated/types.ts";
import type { AccountView } from "../http/site/account-view.ts";
import { pause } from "./clock.ts";
import { interfacePath, ApiError, send } from "./http.ts";

/**
 * - `set-up`: nobody can sign in yet, because the administrator of the first start is still nobody's.
 * - `out`: nobody is signed in. `in`: somebody is.
 * - `first-password`: the given password is good for one use, to set another one.
 * - `expired`: the hour of the token is over; the page stays and asks for the password again.
 */
export type SessionState = "starting" | "set-up" | "out" | "first-password" | "in" | "expired";

export const sessionState = signal<SessionState>("starting");
export const account = signal<AccountView | undefined>(undefined);

/** Gone with the tab: a token must not outlive the person in front of it. */
const TOKEN_KEY = "santinela.token";
const RETRY_MS = 1_000;
let waiting: (() => void)[] = [];

export function token(): string | undefined {
  return sessionStorage.getItem(TOKEN_KEY) ?? undefined;
}

/** Takes up the session that this tab had before it was loaded again. A daemon that is just starting is waited for. */
export async function resume(): Promise<void> {
  while (token() !== undefined && sessionState.value === "starting") {
    try {
      await enter();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 401) signOut();
      else await pause(RETRY_MS);
    }
  }
  if (sessionState.value === "starting") sessionState.value = (await awaitsSetUp()) ? "set-up" : "out";
}

async function awaitsSetUp(): Promise<boolean> {
  try {
    return ((await (await send("/site/setup", undefined)).json()) as { isOpen: boolean }).isOpen;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

/** Makes the administrator of the first start the person's own, and signs them in. @throws Refusal */
export async function setUp(code: string, email: string, password: string): Promise<void> {
  const response = await send("/site/setup", undefined, { method: "POST", body: { code, email, password } });
  keep((await response.json()) as AccessToken);
  await enter();
}

/** @throws Refusal with the daemon's sentence */
export async function signIn(email: string, password: string): Promise<void> {
  const response = await send(interfacePath("/auth/token"), undefined, {
    method: "POST",
    body: { email, password },
  });
  keep((await response.json()) as AccessToken);
  await enter();
}

/** Sets another password for whoever is signed in. @throws Refusal */
export async function changePassword(currentPassword: string, password: string): Promise<void> {
  const body = { currentPassword, password };
  const response = await send("/site/password", token(), { method: "POST", body });
  keep((await response.json()) as AccessToken);
  await enter();
}

export function signOut(): void {
  sessionStorage.removeItem(TOKEN_KEY);
  account.value = undefined;
  sessionState.value = "out";
}

/** The daemon does not take the token any more. Who is signed in stays known, and so does the page. */
export function expire(): void {
  sessionStorage.removeItem(TOKEN_KEY);
  sessionState.value = account.value ? "expired" : "out";
}

/** Resolves once somebody is signed in: at once, or when the password has been given again. */
export function signedIn(): Promise<void> {
  if (sessionState.value === "in") return Promise.resolve();
  return new Promise((resolve) => {
    waiting.push(resolve);
  });
}

function keep({ token: given }: AccessToken): void {
  sessionStorage.setItem(TOKEN_KEY, given);
}

async function enter(): Promise<void> {
  const found = (await (await send("/site/account", token())).json()) as AccountView;
  account.value = found;
  sessionState.value = found.mustChangePassword ? "first-password" : "in";
  if (found.mustChangePassword) return;
  const resumed = waiting;
  waiting = [];
  for (const goOn of resumed) goOn();
}

/** Whether the person may use the interface and order anything. */
export function mayOperate(): boolean {
  return account.value?.role === "operator" || account.value?.role === "administrator";
}

/** Whether the person looks after this installation. */
export function mayAdminister(): boolean {
  return account.value?.role === "administrator";
}
