import { beforeEach, expect, test } from "vitest";
import { newKey } from "../../src/ops/secrets.ts";
import { UpstreamCapabilities } from "../../src/store/upstream-capabilities.ts";
import { CentreTrials } from "../../src/sync/centre-trials.ts";
import { InMemoryCentre } from "../support/in-memory-centre.ts";
import { json } from "../support/nonconforming-centre.ts";
import { SyncingSite } from "../support/syncing-site.ts";

/* What is known of the idempotency keys of a centre. */

let centre: InMemoryCentre;
let site: SyncingSite;
let facts: UpstreamCapabilities;
beforeEach(async () => {
  centre = new InMemoryCentre();
  // Every header of the request comes back, as with a gateway that copies them; a repeated key creates another record.
  centre.afterwards = ({ method, key }) =>
    method === "POST"
      ? json(201, [...centre.rows.values()].at(-1), { "Idempotency-Key": key ?? "" })
      : undefined;
  site = await SyncingSite.at(centre);
  facts = new UpstreamCapabilities(site.app.database);
});

async function tryCentre(): Promise<readonly string[]> {
  const { clock, database } = site.app;
  const options = {
    centre: site.centre,
    clock,
    database,
    baseUrl: "",
    siteRef: "test",
    newKey: () => newKey(clock.wallMs()),
  };
  const objective = { objectiveType: "obiective/cladiri", objectiveId: 12 } as const;
  const { findings } = await new CentreTrials(options).run(objective);
  return findings.map(({ code }) => code);
}

test("a centre that returns each key and creates a second record has no idempotency keys once a test has shown it", async () => {
  site.create();
  await site.push.cycle();
  expect(facts.honoursKeys).toBe(true);
  expect(facts.hasProvedKeys).toBe(false);
  expect(await tryCentre()).toContain("keys-ignored");
  expect(facts).toMatchObject({ honoursKeys: false, hasProvedKeys: false });
  site.create();
  await site.push.cycle();
  expect(facts.honoursKeys).toBe(false);
});

test("a test that finds that the keys count again is accepted", async () => {
  await tryCentre();
  const { afterwards } = centre;
  const answers = new Map<string, string>();
  centre.instead = ({ key = "" }) => {
    const body = answers.get(key);
    return body === undefined
      ? undefined
      : { status: 201, headers: { "Content-Type": "application/json", "Idempotency-Key": key }, body };
  };
  centre.afterwards = (request) => {
    const answer = afterwards(request);
    if (answer && request.key !== undefined) answers.set(request.key, String(answer.body));
    return answer;
  };
  expect(await tryCentre()).toContain("keys-honoured");
  site.create();
  await site.push.cycle();
  expect(facts).toMatchObject({ honoursKeys: true, hasProvedKeys: true });
});

test("a Santinela centre needs no test", async () => {
  site.create();
  await site.push.cycle();
  expect(facts.hasProvedKeys).toBe(false);
  // As it announces with a sign-in.
  facts.noteReportsDeletions(true);
  expect(facts.hasProvedKeys).toBe(true);
});

test("what was learned of the keys and texts of a centre does not apply to another one", () => {
  facts.noteCentre("https://one.example");
  facts.noteKeys(true);
  facts.noteUnorderedIds();
  facts.noteLostReference({ interventionId: 1, field: "notes", sent: 300, kept: 255 });
  const traits = {
    baseUrl: "https://one.example",
    atMs: 0,
    marker: "notes",
    rowsMax: 2,
    honoursKeys: true,
  } as const;
  facts.noteTraits(traits);
  facts.noteCentre("https://one.example");
  expect(facts).toMatchObject({ honoursKeys: true, hasProvedKeys: true, hasUnorderedIds: true });
  facts.noteCentre("https://two.example");
  expect(facts).toMatchObject({ honoursKeys: false, hasUnorderedIds: false, lostReference: null });
  facts.noteKeys(true);
  expect(facts.hasProvedKeys).toBe(false);
});

test("an upgrade keeps what was learned of the centre", () => {
  facts.noteKeys(true);
  facts.noteCentre("https://one.example");
  expect(facts.honoursKeys).toBe(true);
});
