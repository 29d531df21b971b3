// The words that every peer of ours takes on its command line.
import { parseArgs } from "node:util";

export const { values: options } = parseArgs({
  options: {
    port: { type: "string" },
    // The database file.
    file: { type: "string" },
    // What tokens are signed with.
    secret: { type: "string" },
    // Broker whose openings become records.
    broker: { type: "string" },
    "one-commit-each": { type: "boolean", default: false },
    // The product's tables, and each row that it writes.
    "same-rows": { type: "boolean", default: false },
    "same-packages": { type: "boolean", default: false },
  },
});
