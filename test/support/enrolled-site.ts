import request from "supertest";
import type { EnrolmentCode } from "../../src/generated/types.ts";
import type { TestApp } from "./app.ts";

/** As a site generates it. */
export const SITE_PASSWORD = "k7w2-9xqpt-m3hcz-v8rbn";

/** A one-time code for a site, created by the administrator. */
export async function codeFor(
  centre: TestApp,
  site: string,
  objectives: readonly string[],
  more: { readonly validH?: number; readonly transfer?: boolean } = {},
): Promise<string> {
  const body = { site, objectives, ...more };
  const { body: issued } = await request(centre.app)
    .post("/enrolments")
    .set("Authorization", `Bearer ${await centre.token("administrator")}`)
    .send(body)
    .expect(201);
  return (issued as EnrolmentCode).code;
}

/** Sends a code as a site does; without a reference as a new one. */
export function claim(centre: TestApp, code: string, site: string | undefined, password = SITE_PASSWORD) {
  return request(centre.app).post("/enrolments/claim").send({ code, site, password });
}

/** Signs a site in. */
export function signIn(centre: TestApp, email: string, password = SITE_PASSWORD) {
  return request(centre.app).post("/auth/token").send({ email, password });
}

/** Enrols a site. @param transfer for one that is enrolled already. @returns a token of its account */
export async function enrolled(
  centre: TestApp,
  site: string,
  objectives: readonly string[],
  transfer = false,
): Promise<string> {
  const { body } = await claim(centre, await codeFor(centre, site, objectives, { transfer }), site).expect(
    201,
  );
  return ((await signIn(centre, body.email).expect(200)).body as { token: string }).token;
}
