import { request } from "node:http";

/**
 * Signs in to the API on 127.0.0.1, as a client at another loopback address.
 * @param token of the user, to be replaced
 * @returns the status of the answer
 */
export function signInFrom(
  localAddress: string,
  port: number,
  account: { readonly email: string; readonly password: string },
  token?: string,
): Promise<number> {
  return postFrom(localAddress, port, { path: "/auth/token", body: account, token });
}

/** Sends a body to the API on 127.0.0.1, as a client at another loopback address. @returns the status of the answer */
export function postFrom(
  localAddress: string,
  port: number,
  {
    path,
    body,
    token,
  }: { readonly path: string; readonly body: object; readonly token?: string | undefined },
): Promise<number> {
  const text = JSON.stringify(body);
  const headers = {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(text),
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  };
  const target = { host: "127.0.0.1", port, localAddress, method: "POST", path, headers };
  return new Promise((resolve, reject) => {
    const asked = request({ ...target, agent: false }, (response) => {
      response.resume();
      response.on("error", reject);
      response.on("end", () => resolve(response.statusCode ?? 0));
    });
    asked.on("error", reject);
    asked.end(text);
  });
}
