import type { Intervention } from "../../../src/domain/intervention.ts";
import { eventually } from "../../support/eventually.ts";
import { EDGE } from "../../support/installation.ts";
import { wrongAt, type ForeignSite, type LineRule, type Row, type SpoilRule } from "./foreign-site.ts";

/*
 * Every request of a site with every fault. All cells run at once, in one site with one dispatch centre: a
 * fault of one record must not affect another.
 */

/** A fault of one request, or of the read before it. */
export interface Fault {
  readonly name: string;
  /** Undefined if a proxy delivers it twice. */
  readonly spoil?: Omit<SpoilRule, keyof LineRule>;
  /** Number of consecutive requests with the fault. */
  readonly times: number;
  /** Whether records other than alarms wait for minutes afterwards, because the request may still arrive. */
  readonly isSlow: boolean;
}

/** - `read`: the GET of the record before a PUT. `list`: a read of the list of the dispatch centre. */
export type Asked = "plain" | "alarm" | "put" | "delete" | "read-put" | "read-delete";

export interface Cell {
  readonly asked: Asked;
  readonly fault: Fault;
}

const statuses = (...all: number[]): readonly number[] => all;

/** Responses of a gateway that has not forwarded the request. */
const GATEWAY: readonly Fault[] = [
  ...statuses(400, 403, 404, 413, 415, 422, 401, 409, 429, 405).flatMap((status) =>
    (["interface", "gateway"] as const).map((shape) =>
      fault(`${status} in the ${shape} error body`, { kind: "answer", status, shape }),
    ),
  ),
  ...statuses(403, 404, 413).map((status) =>
    fault(`${status} as a page`, { kind: "answer", status, shape: "html" }),
  ),
  fault("a sign-in page of a network", { kind: "portal" }),
  fault("a redirect", { kind: "redirect" }),
];

/** Ambiguous responses to a request that was not applied. */
const BEFORE: readonly Fault[] = [
  ...statuses(500, 502, 503).flatMap((status) =>
    (["interface", "html"] as const).map((shape) =>
      slow(`${status} ${shape === "html" ? "in HTML" : "in JSON"}, not applied`, {
        kind: "answer",
        status,
        shape,
      }),
    ),
  ),
  slow("a connection that breaks before it is done", { kind: "reset" }),
  slow("no answer, not done", { kind: "stall" }),
  slow("an arrival after its sender has given up", { kind: "late" }),
];

/** The same for a request that was applied. */
const AFTER: readonly Fault[] = [
  ...statuses(500, 502, 503).flatMap((status) =>
    (["interface", "html"] as const).map((shape) =>
      fault(`${status} ${shape === "html" ? "in HTML" : "in JSON"}, applied`, {
        kind: "answer",
        status,
        shape,
        isAfter: true,
      }),
    ),
  ),
  fault("404 of a gateway, done", { kind: "answer", status: 404, shape: "gateway", isAfter: true }),
  fault("a connection that breaks once it is done", { kind: "reset", isAfter: true }),
  fault("no answer, done", { kind: "stall", isAfter: true }),
  fault("half an answer", { kind: "half", isAfter: true }),
  fault("an empty answer", { kind: "nothing", isAfter: true }),
];

const TWICE: Fault = { name: "delivered twice by a proxy", times: 1, isSlow: false };
/** Faults of a read: the same, without those of writes. */
const READS: readonly Fault[] = [...GATEWAY, ...BEFORE, ...AFTER].filter(
  ({ spoil }) =>
    spoil?.kind !== "late" &&
    spoil?.kind !== "stall" &&
    (!spoil?.isAfter || spoil.kind === "half" || spoil.kind === "nothing"),
);

export const FAULTS: Readonly<Record<Asked, readonly Fault[]>> = {
  plain: [...GATEWAY, ...BEFORE, ...AFTER, TWICE],
  alarm: [...GATEWAY, ...BEFORE, ...AFTER, TWICE],
  put: [...GATEWAY, ...BEFORE, ...AFTER, TWICE],
  delete: [...GATEWAY, ...BEFORE, ...AFTER, TWICE],
  "read-put": READS,
  "read-delete": READS,
};
/** Faults of the list reads, in order. */
const LISTS: readonly Fault[] = READS;

export const CELLS: readonly Cell[] = Object.entries(FAULTS).flatMap(([asked, faults]) =>
  faults.map((each) => ({ asked: asked as Asked, fault: each })),
);

function fault(name: string, spoil: Fault["spoil"] & object): Fault {
  return { name, spoil, times: 1, isSlow: false };
}

function slow(name: string, spoil: Fault["spoil"] & object): Fault {
  return { ...fault(name, spoil), isSlow: true };
}

const nameOf = ({ asked, fault: { name } }: Cell): string => `${asked}: ${name}`;
const METHODS = { put: "PUT", delete: "DELETE", "read-put": "GET", "read-delete": "GET" } as const;

/** Condition of a record that did not arrive automatically. */
export interface Played {
  readonly helped: readonly string[];
  readonly seconds: number;
}

/**
 * Runs these cells at one site, until the dispatch centre has every record once with the content of the site.
 * @param options typed: fields of a similar record created there by a user; withinMs: limit of each of two
 * parts; mayKeepTwo: whether a record that was created behind a rejection, or twice, may stay there twice
 */
export async function play(
  site: ForeignSite,
  cells: readonly Cell[],
  {
    typed,
    mayKeepTwo,
    withinMs,
  }: { typed: (record: Intervention) => object; mayKeepTwo: boolean; withinMs: number },
): Promise<Played> {
  const beganMs = performance.now();
  const helped: string[] = [];
  const strangers: Row[] = [];
  const records = new Map<Cell, Intervention>();
  const posts = cells.filter(({ asked }) => asked === "plain" || asked === "alarm");
  await spoil(site, [
    ...posts.map(
      (cell) => [cell, { method: "POST", path: "^/interventii$", body: `"${nameOf(cell)}"` }] as const,
    ),
    ...LISTS.map(
      (each) =>
        [
          { asked: "plain", fault: each },
          { method: "GET", path: "^/interventii$" },
        ] as const,
    ),
  ]);
  for (const cell of cells) {
    const record = await site.create({
      name: nameOf(cell),
      description: "as it was made",
      priority: cell.asked === "plain" ? "medium" : "high",
    });
    records.set(cell, record);
    strangers.push(await site.type(typed(record)));
  }
  await waitUntilIdle(site, helped, withinMs);

  const { rows, makers } = await site.state();
  const idOf = (cell: Cell): number =>
    rows.find((row) => row["name"] === nameOf(cell) && makers[row.id] === EDGE.email)?.id ?? 0;
  const later = cells.filter(({ asked }) => asked !== "plain" && asked !== "alarm");
  await spoil(
    site,
    later.map(
      (cell) =>
        [cell, { method: METHODS[cell.asked as "put"], path: `^/interventii/${idOf(cell)}$` }] as const,
    ),
  );
  for (const cell of later) {
    const path = `/interventii/${records.get(cell)?.id}`;
    if (cell.asked.endsWith("delete")) await site.ask(204, "DELETE", path);
    else await site.ask(200, "PUT", path, { description: "as it was changed", status: "in_progress" });
  }
  await waitUntilIdle(site, helped, withinMs);
  await eventually(
    "every record there once, as it is here",
    () => isRight(site, mayKeepTwo ? KEPT_TWICE : []),
    withinMs,
  );
  const after = await site.state();
  const untouched = new Map(after.rows.map((row) => [row.id, JSON.stringify(row)]));
  const touched = strangers.filter((row) => untouched.get(row.id) !== JSON.stringify(row));
  if (touched.length > 0) throw new Error(`strangers were touched: ${JSON.stringify(touched)}`);
  return { helped, seconds: Math.round((performance.now() - beganMs) / 1000) };
}

/** A POST that was carried out although its sender had to take it for refused, and one that was carried out twice. */
const KEPT_TWICE = ["plain", "alarm"].flatMap((asked) =>
  ["404 of a gateway, done", TWICE.name].map((name) => `${asked}: ${name} is there 2 times`),
);

/** @param allowed what may be wrong as long as the condition says that the centre keeps no reference */
async function isRight(site: ForeignSite, allowed: readonly string[]): Promise<boolean> {
  await site.now();
  const isReported = (await site.status()).conditions.some(({ code }) => code === "upstream-reference-lost");
  const problems = (await wrongAt(site)).filter((line) => !(isReported && allowed.includes(line)));
  if (problems.length > 0) throw new Error(problems.join("\n"));
  return true;
}

/** The faults of these cells, for matching requests. */
async function spoil(
  site: ForeignSite,
  all: readonly (readonly [Cell, Omit<LineRule, "times">])[],
): Promise<void> {
  const rule = ([
    {
      fault: { spoil: how, times },
    },
    fits,
  ]: (typeof all)[number]): object => ({ ...fits, ...how, times });
  await site.order("spoil", all.filter(([cell]) => cell.fault.spoil !== undefined).map(rule));
  await site.order("twice", all.filter(([cell]) => cell.fault.spoil === undefined).map(rule));
}

/** Until nothing is pending. Rejected records have a condition, and are retried manually. */
async function waitUntilIdle(site: ForeignSite, helped: string[], withinMs: number): Promise<void> {
  await eventually(
    "the site to have nothing left to send",
    async () => {
      const { records } = await site.now();
      const refused = records.filter(({ phase }) => phase === "rejected" || phase === "gone");
      for (const { interventionId, name, phase, lastResponse } of refused) {
        const { conditions } = await site.status();
        if (!conditions.some(({ code }) => code.startsWith("upstream-rejects")))
          throw new Error(`${name} is ${phase} without a condition`);
        helped.push(`${name}: ${phase}, ${lastResponse}`);
        await site.ask(200, "POST", `/site/sync/${interventionId}/retry`);
      }
      if (records.length > 0)
        throw new Error(
          records.map(({ name, phase, lastResponse }) => `${name}: ${phase}, ${lastResponse}`).join("\n"),
        );
      return true;
    },
    withinMs,
  );
}
