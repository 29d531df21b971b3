import { expect, test } from "vitest";
import { unitOf } from "../../src/cli/service-unit.ts";

const POSTGRES = { url: "postgres://centre@127.0.0.1/centre", ca: undefined } as never;

test.each([
  ["/etc/santinela/santinela.yaml", "/var/lib/santinela", null, "santinela"],
  ["/etc/santinela/centre.yaml", "/srv/centre", null, "santinela-centre"],
  ["/home/ana/centre.yaml", "/var/lib/santinela-centre", null, "santinela-centre"],
  ["/home/ana/site.yaml", "/home/ana/var", POSTGRES, "santinela-centre"],
  [null, "/home/ana/var", null, "santinela"],
])("the unit that runs %s with its data in %s", (file, dataDir, database, unit) => {
  expect(unitOf({ file, dataDir, database })).toBe(unit);
});
