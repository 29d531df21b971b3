import { codeOf, type SourceFile } from "./source-tree.ts";

/** Directories that a directory of src/ may import from; files directly in src/ are listed by name. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  domain: ["domain"],
  store: ["store", "domain"],
  client: ["client", "domain"],
  // The frames of SIA DC-09, for the receiver of alarm panels, the transmitter and the command line.
  dc09: ["dc09", "domain"],
  ops: ["ops", "config", "domain", "store", "client"],
  config: ["config", "domain"],
  service: ["service", "store", "domain"],
  // The records of a centre in PostgreSQL: adapters of the ports in service, beside those over store.
  postgres: ["postgres", "service", "store", "domain"],
  http: ["http", "service", "store", "domain"],
  inputs: ["inputs", "client", "dc09", "store", "domain"],
  // Relays and topics that show an alarm; lines and brokers are those of the inputs.
  outputs: ["outputs", "inputs", "store", "domain"],
  sync: ["sync", "client", "dc09", "store", "domain"],
  cli: [
    "cli",
    "http",
    "inputs",
    "sync",
    "ops",
    "config",
    "service",
    "client",
    "dc09",
    "store",
    "domain",
    "daemon.ts",
    "postgres",
    "centre.ts",
  ],
  "centre.ts": [
    "centre-database.ts",
    "centre-keys.ts",
    "daemon-server.ts",
    "site",
    "postgres",
    "service",
    "ops",
    "store",
    "config",
    "domain",
  ],
  "centre-database.ts": ["postgres", "service", "ops", "config", "domain"],
  "centre-keys.ts": ["postgres", "service", "ops", "domain"],
  // Runs in a browser: of the daemon it may import only the types below.
  panel: ["panel"],
  // The site API: the one module that may import from all components of the running daemon.
  site: ["site", "http", "inputs", "outputs", "sync", "ops", "config", "service", "store", "domain"],
  "daemon-options.ts": ["config", "domain", "inputs", "ops"],
  // Calls between threads; only the composition roots know them.
  threads: ["threads", "ops", "store", "domain"],
  "daemon-server.ts": ["site", "http", "ops", "config", "domain"],
  "daemon-configuration.ts": ["site", "service", "ops", "config", "domain"],
  "daemon-control.ts": ["daemon-options.ts", "site", "ops", "config", "domain"],
  "daemon-records.ts": ["sync", "service", "ops", "store", "config", "domain"],
  "daemon-front.ts": [
    "daemon-records.ts",
    "daemon-server.ts",
    "site",
    "service",
    "ops",
    "store",
    "config",
    "domain",
  ],
  "daemon-broker.ts": ["broker-thread.ts", "inputs", "threads", "ops", "domain"],
  "daemon-in-one-thread.ts": [
    "config",
    "daemon-front.ts",
    "daemon-records.ts",
    "daemon-threads.ts",
    "inputs",
    "domain",
  ],
  "daemon-threads.ts": [
    "daemon-broker.ts",
    "daemon-front.ts",
    "daemon-records.ts",
    "front-thread.ts",
    "records-thread.ts",
    "threads",
    "inputs",
    "ops",
    "config",
    "domain",
  ],
  "broker-thread.ts": ["inputs", "threads", "ops", "domain"],
  "front-thread.ts": ["daemon-front.ts", "threads", "ops", "config"],
  "records-thread.ts": ["daemon-records.ts", "daemon-threads.ts", "threads", "ops", "config"],
  "daemon-reload.ts": [
    "daemon-options.ts",
    "daemon-threads.ts",
    "site",
    "inputs",
    "ops",
    "config",
    "service",
    "store",
    "threads",
    "domain",
  ],
  "daemon-sensing.ts": [
    "daemon-front.ts",
    "daemon-options.ts",
    "daemon-threads.ts",
    "site",
    "inputs",
    "ops",
    "config",
    "service",
    "store",
    "domain",
  ],
  "daemon.ts": [
    "daemon-configuration.ts",
    "daemon-control.ts",
    "daemon-front.ts",
    "daemon-in-one-thread.ts",
    "daemon-options.ts",
    "daemon-reload.ts",
    "daemon-sensing.ts",
    "daemon-threads.ts",
    "threads",
    "site",
    "ops",
    "config",
    "store",
    "domain",
  ],
  "main.ts": ["cli"],
};

/** Type-only imports, which have no run-time effect. */
const MAY_IMPORT_TYPES: Readonly<Record<string, RegExp>> = {
  // Response types of /site, and the domain types in them.
  panel: /^(site\/[a-z-]+-view\.ts$|domain\/)/,
  // Response types of /site.
  cli: /^site\/[a-z-]+-view\.ts$/,
};

/** Packages by the folder that may import them. Built-in node: modules are free outside the domain. */
const PACKAGE_HOMES: Readonly<Record<string, readonly string[]>> = {
  "better-sqlite3": ["store"],
  pg: ["postgres"],
  express: ["http", "site"],
  jsonwebtoken: ["service"],
  bcrypt: ["service"],
  mqtt: ["inputs", "cli"],
  aedes: ["inputs"],
  "prom-client": ["site"],
  qr: ["ops"],
  onoff: ["inputs"],
  "node-cron": ["config", "sync"],
  ajv: ["config", "service"],
  yaml: ["config"],
  commander: ["cli"],
  preact: ["panel"],
  "@preact/signals": ["panel"],
  "@zxcvbn-ts/language-common": ["service"],
  "@peculiar/x509": ["ops"],
  // Needed by @peculiar/x509, which does not load it itself.
  "reflect-metadata": ["ops"],
};

/** Effects that only one file may have, and the alternative for others. */
const BANNED: readonly { what: RegExp; home: RegExp; instead: string }[] = [
  {
    what: /\bDate\.now\(|\bnew Date\(\)|\bperformance\.now\(/,
    home: /^(ops\/system-clock|panel\/clock)\.ts$/,
    instead: "the Clock port",
  },
  {
    // The idle time-out of a response or socket is not a timer of the daemon.
    what: /(?<!\b(?:response|socket)\.)\b(setTimeout|setInterval|setImmediate)\(/,
    home: /^(ops\/system-clock|panel\/clock)\.ts$/,
    instead: "Clock.after",
  },
  {
    what: /\bMath\.random\(|\brandomUUID\(|\brandomBytes\(/,
    home: /^(daemon\.ts|ops\/secrets\.ts)$/,
    instead: "randomness passed in from daemon.ts",
  },
  { what: /\bprocess\.env\b/, home: /^(config\/|main\.ts$)/, instead: "config/" },
  {
    what: /\bprocess\.(exit|on|once|kill)\(/,
    home: /^(main|broker-thread|front-thread|records-thread|ops\/(backup-check|backup-worker|list-worker)-main)\.ts$/,
    instead: "main.ts",
  },
  {
    what: /\bprocess\.(stdout|stderr|stdin)\b/,
    home: /^main\.ts$/,
    instead: "the streams that main.ts passes in",
  },
  { what: /\bconsole\./, home: /^$/, instead: "ops/log" },
  { what: /@ts-(ignore|expect-error|nocheck)/, home: /^$/, instead: "a type that fits" },
];

const LINES_MAX = 250;
const FUNCTION_LINES_MAX = 70;
const NAMELESS = /(^|\/)(utils?|helpers?|common|types|interfaces|misc|shared)(\.tsx?|\/)/;

/** All violations of the architecture rules, as `path: problem`; empty if there are none. */
export function violations(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => [
    ...importViolations(file),
    ...BANNED.filter(
      ({ what, home }) => !home.test(file.path) && what.test(codeWithComments(file, what)),
    ).map(({ what, instead }) => `${file.path}: ${what.source} is banned here; use ${instead}`),
    ...sizeViolations(file),
    ...(NAMELESS.test(file.path) ? [`${file.path}: the name is not a domain term`] : []),
  ]);
}

function codeWithComments(file: SourceFile, what: RegExp): string {
  return what.source.startsWith("@ts") ? file.text : codeOf(file.text);
}

function importViolations({ path, imports }: SourceFile): string[] {
  const module = moduleOf(path);
  const allowed = MAY_IMPORT[module];
  if (!allowed)
    return [`${path}: ${module} is not a module of src/; add it to the import rules with a reason`];
  return imports.flatMap(({ target, isTypeOnly }) => {
    if (target.startsWith("generated/")) return [];
    const isOwnFile = /\.(ts|js|tsx|css)$/.test(target) && !target.startsWith("node:");
    if (isOwnFile && !target.startsWith("@")) {
      const isKnown = MAY_IMPORT_TYPES[module]?.test(target) ?? false;
      if (allowed.includes(moduleOf(target)) || (isKnown && isTypeOnly)) return [];
      return [`${path}: ${module} must not import ${target}${isKnown ? " but for its types" : ""}`];
    }
    if (module === "domain")
      return [`${path}: the domain must not import packages or node: modules, and imports ${target}`];
    const name = packageOf(target);
    const homes = PACKAGE_HOMES[name];
    if (target.startsWith("node:") || homes?.includes(module)) return [];
    return [`${path}: ${name} may only be imported in ${homes?.join(", ") ?? "no directory yet"}`];
  });
}

function packageOf(specifier: string): string {
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

function moduleOf(path: string): string {
  return path.split("/")[0] ?? path;
}

function sizeViolations({ path, text }: SourceFile): string[] {
  const lines = text.split("\n");
  const found = lines.length > LINES_MAX ? [`${path}: ${lines.length} lines, more than ${LINES_MAX}`] : [];
  let start: { line: number; indent: string } | undefined;
  for (const [index, line] of lines.entries()) {
    const opening =
      /^(\s*)(?:export )?(?:async )?(?:function\b|(?:static |async |get |set )*#?\w+\([^)]*\)[^;=]*\{$)/.exec(
        line,
      );
    if (opening && start === undefined && !/^\s*(?:if|for|while|switch|catch|return)\b/.test(line))
      start = { line: index, indent: opening[1] ?? "" };
    else if (start && line === `${start.indent}}`) {
      const length = index - start.line + 1;
      if (length > FUNCTION_LINES_MAX)
        found.push(
          `${path}:${start.line + 1}: a function of ${length} lines, more than ${FUNCTION_LINES_MAX}`,
        );
      start = undefined;
    }
  }
  return found;
}
