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
  const body = JSON.stringify(account);
  const headers = {
    "Content-Type": "application/json",
    "Content-Length": Buffer.byteLength(body),
    ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
  };
  const target = { host: "127.0.0.1", port, localAddress, method: "POST", path: "/auth/token", headers };
  return new Promise((resolve, reject) => {
    const asked = request({ ...target, agent: false }, (response) => {
      response.resume();
      response.on("error", reject);
      response.on("end", () => resolve(response.statusCode ?? 0));
    });
    asked.on("error", reject);
    asked.end(body);
  });
}
