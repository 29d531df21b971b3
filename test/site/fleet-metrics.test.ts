import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { CONDITIONS } from "../../src/domain/condition.ts";
import { HEADLINE_REASONS } from "../../src/domain/headline.ts";
import { CentreMetrics } from "../../src/site/centre-metrics.ts";
import { fleetMetrics } from "../../src/site/fleet-metrics.ts";
import type { SiteApi } from "../../src/site/site-api.ts";
import { OPERATOR_USER, TestApp } from "../support/app.ts";
import { REPORT } from "../support/fleet.ts";

let centre: TestApp;
let text: string;
/** More than one part of the reading. */
const SITES = 450;

beforeAll(async () => {
  centre = await TestApp.make();
  const { fleet } = centre.parts;
  await Promise.all(
    Array.from({ length: SITES }, (_, number) =>
      fleet.report({ ...REPORT, ref: `site-${number}` }, OPERATOR_USER),
    ),
  );
  await fleet.report(
    {
      ...REPORT,
      ref: "full",
      name: 'Hala "Nord" \\ Dej',
      level: "fault",
      at: centre.clock.wallMs() + 2_500,
      conditions: ["disk-nearly-full"],
      faults: [
        { zone: "Poarta", fault: "tamper" },
        { zone: "Hol", fault: "battery" },
      ],
      backlog: { records: 3, oldestS: 120 },
      compared: { ageS: 60, differing: 2 },
      cardWear: 30,
    },
    OPERATOR_USER,
  );
  text = await fleetMetrics(fleet, centre.clock);
});
afterAll(() => centre.close());

function page(name: string): string {
  return readFileSync(fileURLToPath(new URL(`../../docs/${name}`, import.meta.url)), "utf8");
}

function metricsIn(expressions: readonly string[]): Set<string> {
  return new Set(expressions.flatMap((one) => one.match(/\bsantinela_[a-z_]+/g) ?? []));
}

const families = (): string[] => [...text.matchAll(/^# TYPE (\S+) gauge$/gm)].map(([, name = ""]) => name);

test("every line is a comment or a sample, and each sample is one site's", () => {
  const seen = new Set<string>();
  for (const line of text.trimEnd().split("\n")) {
    if (/^# (HELP|TYPE) santinela_/.test(line)) continue;
    const sample = /^(santinela_\w+\{(?:[a-z]+="(?:[^"\\\n]|\\["\\])*",?)+\}) -?[\d.e+-]+$/.exec(line)?.[1];
    expect(sample, line).toBeDefined();
    expect(seen).not.toContain(sample);
    seen.add(sample ?? "");
  }
  expect(text.match(/^santinela_site_reporting\{/gm)).toHaveLength(SITES + 1);
});

test("a site with everything has a sample of every metric", () => {
  const samples = text.split("\n").filter((line) => line.includes('site="full"'));
  expect(samples).toEqual([
    'santinela_site_reporting{site="full"} 1',
    'santinela_site_level{site="full",level="fault"} 1',
    'santinela_site_info{site="full",name="Hala \\"Nord\\" \\\\ Dej",version="0.1.0"} 1',
    'santinela_site_report_age_seconds{site="full"} 0',
    'santinela_site_uptime_seconds{site="full"} 3600',
    'santinela_site_conditions{site="full"} 1',
    'santinela_site_zone_faults{site="full"} 1',
    'santinela_site_low_batteries{site="full"} 1',
    'santinela_site_backlog_records{site="full"} 3',
    'santinela_site_backlog_oldest_age_seconds{site="full"} 120',
    'santinela_site_differing_records{site="full"} 2',
    'santinela_site_clock_offset_seconds{site="full"} 2.5',
    'santinela_site_disk_free_bytes{site="full"} 22548578304',
    'santinela_site_storage_wear_ratio{site="full"} 0.3',
  ]);
  expect(text).toContain(`santinela_sites{level="well"} ${SITES}\n`);
});

test("the dashboard docs/grafana-fleet.json draws every metric and no unknown one", () => {
  const dashboard = page("grafana-fleet.json");
  const expressions = [...dashboard.matchAll(/"expr": "((?:[^"\\]|\\.)*)"/g)].map(([, one = ""]) => one);
  expect(metricsIn(expressions)).toEqual(new Set(families()));
});

test("the alert rules name metrics that exist, and say what to do", () => {
  const { groups } = parse(page("alerts-fleet.yaml")) as {
    groups: { rules: { alert: string; expr: string; annotations: Record<string, string> }[] }[];
  };
  const rules = groups.flatMap((group) => group.rules);
  expect(rules.length).toBeGreaterThan(5);
  // Those are in the metrics of the centre itself.
  const known = [...families(), "santinela_conditions_open", "santinela_headline_reasons"];
  expect([...metricsIn(rules.map(({ expr }) => expr))].filter((name) => !known.includes(name))).toEqual([]);
  for (const { alert, annotations } of rules) {
    expect(alert).toMatch(/^Santinela[A-Z]\w+$/);
    expect(Object.keys(annotations)).toEqual(["summary", "description"]);
  }
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  const codes = rules.flatMap(({ expr }) => [...expr.matchAll(/code="([^"]*)"/g)].map(([, code]) => code));
  expect(codes).toEqual(["sites-silent", "silent-sites-unknown"]);
  for (const code of codes) expect(Object.keys(CONDITIONS)).toContain(code);
  const reasons = rules.flatMap(({ expr }) => [...expr.matchAll(/reason="([^"]*)"/g)].map(([, one]) => one));
  expect(reasons).toEqual(["sites-unreported"]);
  expect(Object.keys(HEADLINE_REASONS)).toContain(reasons[0]);
});

test("a centre on PostgreSQL counts its conditions by code and severity, as the recommended alert needs", async () => {
  const condition = { code: "silent-sites-unknown", severity: "warning" };
  const status = async () => ({ headline: { level: "attention", reasons: [] }, conditions: [condition] });
  const metrics = await new CentreMetrics({ site: { status } as unknown as Pick<SiteApi, "status"> }).text();
  const open = metrics.split("\n").filter((line) => line.startsWith("santinela_conditions_open{"));
  expect(open).toHaveLength(Object.keys(CONDITIONS).length);
  expect(open.filter((line) => line.endsWith(" 1"))).toEqual([
    'santinela_conditions_open{code="silent-sites-unknown",severity="warning"} 1',
  ]);
  expect(open).toContain('santinela_conditions_open{code="database-unavailable",severity="error"} 0');
});
