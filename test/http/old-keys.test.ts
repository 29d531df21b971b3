import request from "supertest";
import { expect, test } from "vitest";
import { removeOldRecords } from "../../src/store/retention.ts";
import { PATROL, TestApp, testOfSite } from "../support/app.ts";

/* Repeated requests with an Idempotency-Key that is older than the response to it. */

/** A user who creates records with keys, and lets their responses expire. */
class KeyedUser {
  readonly #site: TestApp;
  #token = "";

  private constructor(site: TestApp) {
    this.#site = site;
  }

  static async signedIn(): Promise<KeyedUser> {
    const user = new KeyedUser(await TestApp.forTest());
    user.#token = await user.#site.token();
    return user;
  }

  call(method: "get" | "post" | "put" | "delete", path: string): request.Test {
    return request(this.#site.app)[method](path).set("Authorization", `Bearer ${this.#token}`);
  }

  create(fields: object = {}): request.Test {
    return this.call("post", "/interventii")
      .set("Idempotency-Key", '"gate-1"')
      .send({ ...PATROL, ...fields });
  }

  async ids(): Promise<number[]> {
    const { body } = await this.call("get", "/interventii").expect(200);
    return (body as { id: number }[]).map(({ id }) => id);
  }

  keys(): Promise<unknown[]> {
    return this.#site.run("SELECT key FROM idempotency_keys");
  }

  /** Removes the records that are finished, as a site does after some time. @returns how many */
  async removeFinished(): Promise<number> {
    await this.#site.run("UPDATE outbox SET phase = 'closed'");
    return removeOldRecords(this.#site.database, this.#site.clock.wallMs(), 0).removed;
  }

  async letResponsesExpire(): Promise<void> {
    this.#site.clock.advance(31 * 86_400_000);
    await this.#site.removeOldKeys();
    this.#token = await this.#site.token();
  }
}

test("a key returns its record as it is, with its ETag, and creates nothing", async () => {
  const user = await KeyedUser.signedIn();
  const { body } = await user.create().expect(201);
  await user.call("put", `/interventii/${body.id}`).send({ crews: 9 }).expect(200);
  for (let month = 0; month < 2; month += 1) {
    await user.letResponsesExpire();
    const again = await user.create().expect(201);
    expect(again.body).toEqual({ ...body, crews: 9 });
    expect(again.headers).toMatchObject({ "idempotency-replayed": "true", etag: '"2"' });
  }
  expect(await user.ids()).toEqual([body.id]);
});

test("a key with another body is still rejected", async () => {
  const user = await KeyedUser.signedIn();
  const { body } = await user.create().expect(201);
  await user.letResponsesExpire();
  const other = await user.create({ crews: 2 }).expect(422);
  expect(other.headers["x-error-code"]).toBe("key-reused");
  expect(await user.ids()).toEqual([body.id]);
});

test("a key whose record is deleted creates another record, and belongs to that one", async () => {
  const user = await KeyedUser.signedIn();
  const { body } = await user.create().expect(201);
  await user.call("delete", `/interventii/${body.id}`).expect(204);
  expect((await user.create().expect(201)).body).toEqual(body);
  await user.letResponsesExpire();
  const other = await user.create({ crews: 2 }).expect(201);
  expect(other.headers["idempotency-replayed"]).toBeUndefined();
  expect(await user.ids()).toEqual([other.body.id]);
  await user.call("get", other.headers["location"] ?? "").expect(200);
  await user.letResponsesExpire();
  const again = await user.create({ crews: 2 }).expect(201);
  expect([again.body.id, again.headers["idempotency-replayed"]]).toEqual([other.body.id, "true"]);
  await user.create().expect(422);
});

testOfSite("a key is kept no longer than its record, which retention removes", async () => {
  const user = await KeyedUser.signedIn();
  const { body } = await user.create().expect(201);
  await user.letResponsesExpire();
  expect(await user.removeFinished()).toBe(1);
  expect(await user.keys()).toEqual([]);
  const other = await user.create({ crews: 2 }).expect(201);
  expect(other.body.id).toBeGreaterThan(body.id);
});
