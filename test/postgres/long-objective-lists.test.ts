import { afterAll, beforeAll, expect, test } from "vitest";
import { PostgresCentre } from "../support/postgres-centre.ts";
import { describeOnPostgres } from "../support/postgres.ts";

const QUERY = { search: "hall", filters: [], sort: [], start: 0, end: 25 };
const COUNT = 1_600;
const REMEDY = "none";

describeOnPostgres("searches of many objectives", (server) => {
  let centre: PostgresCentre;
  beforeAll(async () => {
    centre = await PostgresCentre.open(await server.newDatabase());
    const named = (kind: string, count: number) =>
      Array.from({ length: count }, (_, index) => ({ id: index + 1, name: `${kind} ${index + 1}` }));
    const objectives = { "obiective/cladiri": named("Hall", COUNT), "obiective/bunuri": named("Hall", 100) };
    await centre.objectives.import(objectives, "config");
  });
  afterAll(() => centre.close());

  const search = (account: number, type: "obiective/cladiri" | "obiective/bunuri" = "obiective/cladiri") =>
    centre.objectives.list({ type, query: QUERY, account }, new AbortController().signal);

  test("wait for the other long lists of their account, and for none of another one", async () => {
    const ends: (() => void)[] = [];
    const { signal } = new AbortController();
    const slow = () =>
      centre.lists.inTurn(
        { account: 1, remedy: REMEDY },
        signal,
        () => new Promise<void>((end) => ends.push(end)),
      );
    const own = [slow(), slow()];
    const refused = expect(search(1)).rejects.toMatchObject({ code: "too-many-requests", retryAfterS: 10 });
    expect((await search(2)).total).toBe(COUNT);
    // Few objectives are no long list.
    expect((await search(1, "obiective/bunuri")).total).toBe(100);
    centre.clock.advance(20_000);
    await refused;
    for (const end of ends) end();
    await Promise.all(own);
    expect((await search(1)).total).toBe(COUNT);
  });

  test("end when their client has gone", async () => {
    const gone = new AbortController();
    const searched = centre.objectives.list(
      { type: "obiective/cladiri", query: QUERY, account: 1 },
      gone.signal,
    );
    gone.abort();
    await expect(searched).rejects.toMatchObject({ code: "unavailable" });
  });
});
