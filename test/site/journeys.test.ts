import { beforeEach, expect, test } from "vitest";
import type { Headline } from "../../src/domain/headline.ts";
import { SiteJourneys } from "../../src/site/journeys.ts";
import type { SiteParts } from "../../src/site/site-parts.ts";
import { ObjectiveStore } from "../../src/store/objectives.ts";
import { UnfinishedInterventions } from "../../src/store/unfinished-records.ts";
import { DispatchingSite } from "../support/dispatching-site.ts";
import { zoneOf } from "../support/monitored-zones.ts";

let site: DispatchingSite;
beforeEach(async () => {
  site = await DispatchingSite.make([
    zoneOf({
      id: "smoke",
      kind: "fire",
      input: { simulated: true },
      objective: { type: "obiective/cladiri", id: 1 },
    }),
  ]);
});

test("an alarm is shown once between its record and the response to it", async () => {
  let respond = (): void => {};
  site.intercept = ({ method }, response) => {
    if (method !== "POST") return;
    const end = response.end.bind(response);
    response.end = (...args: unknown[]) => {
      respond = () => void end(...(args as []));
      return response;
    };
  };
  site.zones.monitor.read("smoke", "normal", { live: true });
  site.zones.monitor.read("smoke", "open", { live: true });
  site.requestDispatch();
  await site.until(() => site.records.length === 1);
  expect(site.dispositions).toEqual(["waiting"]);

  const { journal, clock } = site.zones;
  const journeys = new SiteJourneys(
    {
      config: { zones: [], upstream: null, upstreams: [] },
      clock,
      journal,
      outbox: { find: () => undefined },
      unfinished: new UnfinishedInterventions(site.app.database),
      objectives: new ObjectiveStore(site.app.database),
      transmissions: { ofRecord: () => [] },
    } as unknown as SiteParts,
    (read) => read(),
  );
  const { id, name } = site.records[0]!;
  const withoutReasons = { reasons: [] } as unknown as Headline;
  const known = {
    reasons: [
      {
        code: "alarm-unfinished",
        items: [{ about: "intervention", id, name }],
      },
    ],
  } as unknown as Headline;
  expect(journeys.read(withoutReasons)).toMatchObject([{ interventionId: null, isJournaled: true }]);
  expect(journeys.read(known)).toMatchObject([{ interventionId: id, isJournaled: true }]);

  site.intercept = () => {};
  respond();
  await site.settled();
  expect(journeys.read(known)).toMatchObject([{ interventionId: id }]);
});
