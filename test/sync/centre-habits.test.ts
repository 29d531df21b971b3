import { beforeEach, describe, expect, test } from "vitest";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { json, type ReceivedRequest, type ScriptedResponse } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* Habits that the centre of another vendor has in every response, not once: it has no idempotency keys. */

const refusal = (statusCode: number): ScriptedResponse =>
  json(statusCode, { error: "Error", message: "no", statusCode });

let centre: InMemoryCentre;
let site: SyncingSite;
beforeEach(async () => {
  centre = new InMemoryCentre();
  site = await SyncingSite.at(centre);
});

/** Lets two hours pass, a minute at a time. */
async function twoHours(): Promise<void> {
  for (let minute = 0; minute < 120; minute += 1) {
    await site.push.cycle();
    site.app.clock.advance(60_000);
  }
}

describe("an alarm", () => {
  test.each([301, 302, 303])(
    "is there once if each created record is followed by a redirect (%i)",
    async (status) => {
      centre.afterwards = ({ method }) =>
        method === "POST" ? { status, headers: { Location: "/interventii/1" } } : undefined;
      const { id } = site.create({ priority: "high" });
      await twoHours();
      expect(centre.rows.size).toBe(1);
      expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 1 });
    },
  );

  test("that a proxy delivers twice is linked if the centre rejects the second delivery as a conflict", async () => {
    const isThere = ({ body }: ReceivedRequest): boolean =>
      [...centre.rows.values()].some(({ notes }) => notes === (JSON.parse(body) as { notes: string }).notes);
    centre.instead = (request) => (request.method === "POST" && isThere(request) ? refusal(409) : undefined);
    centre.afterwards = ({ method }) => (method === "POST" ? refusal(409) : undefined);
    const { id } = site.create({ priority: "high" });
    await twoHours();
    expect(site.entry(id)).toMatchObject({ phase: "linked", upstreamId: 1 });
    expect(centre.writes).toHaveLength(1);
  });
});
