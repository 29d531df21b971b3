// Writes the table of zone types and their profiles in docs/sensors.md from the built program. Run by `npm run build`;
// test/meta/generated-tables.test.ts checks the result.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { isLifeSafety } from "../build/domain/incident.js";
import { PROFILE_OF_KIND, resolveProfiles } from "../build/domain/zone-rules.js";

const PAGE = new URL("../docs/sensors.md", import.meta.url);
const BEGIN = "<!-- kinds: begin (made by scripts/profile-table.mjs) -->";
const END = "<!-- kinds: end -->";
const HEAD = [
  "Zone type",
  "Profile",
  "Priority",
  "Work type",
  "Crews",
  "Requests",
  "A second zone adds",
  "Life safety",
];

/** The services that a profile requests. */
const services = ({ police, ambulance, firetruck }) =>
  [police && "police", ambulance && "ambulance", firetruck && "fire brigade"].filter(Boolean).join(", ");

function rowOf([kind, profile]) {
  const requested = resolveProfiles({}).get(profile);
  const { confirmed } = requested;
  const more = confirmed && [services(confirmed), confirmed.crews && `${confirmed.crews} crews`];
  return [
    `\`${kind}\``,
    `\`${profile}\``,
    requested.priority,
    requested.type,
    requested.crews,
    services(requested) || "–",
    more ? more.filter(Boolean).join(", ") : "–",
    isLifeSafety(kind) ? "yes" : "–",
  ];
}

/**
 * The page with its present table; the page itself if only its layout, which the formatter decides, differs.
 * @param {string} text
 */
export function withCurrentTables(text) {
  const [from, to] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (from < 0 || to < 0) throw new Error("docs/sensors.md: the markers of the table are missing");
  const rows = [HEAD, HEAD.map(() => "---"), ...Object.entries(PROFILE_OF_KIND).map(rowOf)];
  const table = rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  const next = `${text.slice(0, from + BEGIN.length)}\n\n${table}\n\n${text.slice(to)}`;
  const plain = (page) => page.replaceAll(/ {2,}|-{3,}/g, (run) => run[0] ?? "");
  return plain(next) === plain(text) ? text : next;
}

if (process.argv[1] === fileURLToPath(import.meta.url) && existsSync(PAGE)) {
  const text = readFileSync(PAGE, "utf8");
  const next = withCurrentTables(text);
  if (next !== text) writeFileSync(PAGE, next);
}
