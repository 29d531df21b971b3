import type { Recovery } from "./recovery.ts";

/** What people call the rows of tables, of which a part could not be read. The other tables hold nothing that a person misses. */
const WORDS: Readonly<Record<string, string>> = {
  accounts: "accounts",
  objectives: "objectives",
  centre_objectives: "objectives",
  outbox: "outbox",
  transmissions: "messages to the monitoring receiver",
  transmitted_zones: "zone numbers at the monitoring receiver",
  events: "event log",
  plans: "floor plans",
  sites: "sites",
  site_history: "histories of the sites",
  walk_tests: "walk tests",
  walk_test_results: "walk tests",
  zone_states: "contacts of the zones",
  bypasses: "bypasses",
  incidents: "incidents",
  faults: "faults",
};

/**
 * The tables of which a recovery could not read or use everything, such as `accounts incomplete`. Records, trips and
 * entries of the audit trail are named by their numbers.
 */
export function incompleteTables(recoveries: readonly Recovery[]): string[] {
  const words = recoveries.flatMap(({ isWhole, salvage }) =>
    (isWhole ? [] : (salvage?.tables ?? [])).flatMap(({ table, unreadable, refused }) =>
      unreadable + refused > 0 ? (WORDS[table] ?? []) : [],
    ),
  );
  return [...new Set(words)].map((word) => `${word} incomplete`);
}
