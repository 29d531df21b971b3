import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import "../support/built-program.ts";

/* docs/tour.md against the calls of a real trip, from the sensor's message to the response of the dispatch centre. */

interface Stop {
  readonly name: string;
  readonly file: string;
  readonly line: number;
}
interface Segment {
  readonly title: string;
  /** Number of the SQL statement before which a function was first called, by `file name`. */
  readonly calls: ReadonlyMap<string, number>;
}

const script = (name: string): Promise<unknown> =>
  import(new URL(`../../scripts/${name}`, import.meta.url).href) as Promise<unknown>;
const { stopsOf, withCurrentLinks } = (await script("tour-links.mjs")) as {
  readonly stopsOf: (text: string) => readonly Stop[];
  readonly withCurrentLinks: (text: string) => {
    readonly text: string;
    readonly problems: readonly string[];
  };
};
const { measurePaths } = (await script("trip-path.mjs")) as {
  readonly measurePaths: (options: object) => Promise<{ readonly trip: readonly Segment[] }>;
};

const { functionsIn } = (await script("source-functions.mjs")) as {
  readonly functionsIn: (text: string) => readonly { readonly name: string }[];
};

/**
 * 140 files are common to three trips (docs/decisions/0053). One trip alone, with the daemon's timers in the same time, had up to
 * 182 on a busy machine, so two are compared. More are a longer path: shorten it, or add the reason to that decision.
 */
const FILES_MAX = 180;

const root = fileURLToPath(new URL("../../", import.meta.url));
const functionsOf = (file: string): string[] =>
  functionsIn(readFileSync(`${root}${file}`, "utf8")).map(({ name }) => name);
const page = readFileSync(`${root}docs/tour.md`, "utf8");

test("the tour has ten stops, each linked to the line of its function", () => {
  expect(stopsOf(page)).toHaveLength(10);
  const { text, problems } = withCurrentLinks(page);
  expect(problems).toEqual([]);
  expect(stopsOf(page), "run npm run generate").toEqual(stopsOf(text));
});

test("a function that has moved is found again, and one that is gone is reported", () => {
  const stop = stopsOf(page).at(-1);
  const moved = withCurrentLinks(`[\`${stop?.name}\`](../src/main.ts#L1)\n`);
  expect(stopsOf(moved.text)).toEqual([stop]);
  const gone = "[`stepNothing`](../src/main.ts#L1)\nThen `Nothing.atAll`.\n";
  expect(withCurrentLinks(gone).text).toBe(gone);
  expect(withCurrentLinks(gone).problems).toEqual([
    expect.stringContaining("stepNothing is not in src/main.ts"),
    expect.stringContaining("no file of src/ has Nothing.atAll"),
  ]);
});

test("a trip calls the function of each stop, in the order of the tour", async () => {
  const { trip } = await measurePaths({ kinds: ["trip"], runs: 2, steps: "statements" });
  const stops = stopsOf(page);
  expect(wrongStops(stops, trip)).toEqual([]);

  const [{ file }, last] = [stops[8], stops[9]] as [Stop, Stop];
  const called = new Set(trip.flatMap(({ calls }) => [...calls.keys()]));
  const files = new Set([...called].map((call) => call.split(" ")[0]));
  expect(files.size, "files that a trip passes through").toBeLessThanOrEqual(FILES_MAX);
  const other = functionsOf(file).find((name) => !called.has(`${file} ${name}`)) ?? "";
  expect(wrongStops([...stops, { name: other, file }], trip)).toEqual([
    expect.stringContaining(`${other} of ${file} is not called; that file has `),
  ]);
  expect(wrongStops(stops.toReversed(), trip)).toContain(`${stops[8]?.name} is called before ${last.name}`);
}, 180_000);

/** Stops whose function the trip does not call, or calls before that of the stop above it. */
function wrongStops(stops: readonly Pick<Stop, "name" | "file">[], segments: readonly Segment[]): string[] {
  // First calls: a later segment may call a function again.
  const first = new Map(segments.toReversed().flatMap(({ calls }) => [...calls]));
  let above: { name: string; step: number } | undefined;
  return stops.flatMap(({ name, file }) => {
    const step = first.get(`${file} ${name}`);
    if (step === undefined) {
      const called = [...first.keys()].filter((key) => key.startsWith(`${file} `) && !key.endsWith(")"));
      const names = called.map((key) => key.slice(file.length + 1)).join(", ");
      return [`${name} of ${file} is not called; that file has ${names || "no called function"}`];
    }
    const before = above;
    above = { name, step };
    return before && step < before.step ? [`${name} is called before ${before.name}`] : [];
  });
}
