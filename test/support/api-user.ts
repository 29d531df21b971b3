/** A person or a program at the HTTP API of a daemon, on 127.0.0.1. */
export class ApiUser {
  readonly #base: string;
  readonly #token: string;

  private constructor(base: string, token: string) {
    this.#base = base;
    this.#token = token;
  }

  /** Signs in. @throws Error when the password is not accepted */
  static async signIn(port: number, account: { email: string; password: string }): Promise<ApiUser> {
    const base = `http://127.0.0.1:${port}`;
    const answer = await fetch(`${base}/auth/token`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(account),
    });
    if (answer.status !== 200) throw new Error(`${account.email}: ${answer.status} ${await answer.text()}`);
    return new ApiUser(base, ((await answer.json()) as { token: string }).token);
  }

  /**
   * Sends a request.
   * @param headers beside the token
   * @returns the body; null without one
   * @throws Error with the status and the body of any answer but success
   */
  async ask<T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<T> {
    const text = await this.#send(method, path, body === undefined ? undefined : JSON.stringify(body), {
      "Content-Type": "application/json",
      ...headers,
    });
    return (text === "" ? null : JSON.parse(text)) as T;
  }

  /** Sends bytes, such as a picture. @throws Error as `ask` */
  async send(method: string, path: string, bytes: Buffer): Promise<void> {
    await this.#send(method, path, bytes, { "Content-Type": "application/octet-stream" });
  }

  async #send(
    method: string,
    path: string,
    body: string | Buffer | undefined,
    headers: Readonly<Record<string, string>>,
  ): Promise<string> {
    const answer = await fetch(this.#base + path, {
      method,
      headers: { Authorization: `Bearer ${this.#token}`, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return text;
  }
}

/** What a daemon has answered, whatever the status. */
export interface Answer<T> {
  readonly status: number;
  readonly body: T & { readonly message?: string };
}

/** Sends a request whose refusal is an answer as well. @param token empty for none */
export async function callApi<T>(
  { base, token }: { readonly base: string; readonly token: string },
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer<T>> {
  const response = await fetch(`${base}${path}`, {
    method,
    headers: { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Answer<T>["body"] };
}
