/** The result of all images with the same damage. */
export interface Outcome {
  images: number;
  /** With all acknowledged data. */
  whole: number;
  lost: number;
  /** Lost or altered without a condition. */
  silent: number;
  /** With a lost row of which the condition only counts damaged pages. */
  unnamed: number;
  /** Lost although its page is intact. */
  unsaved: number;
  /** Rows of the damaged databases as they were stored. */
  rows: number;
  /** Of these, the intact ones in the damaged files. */
  readable: number;
  /** Of these, the intact ones after the start. */
  saved: number;
  /** Of these, the intact ones that `.recover` of `sqlite3` reads. */
  recovered: number;
}

const COUNTS = [
  "images",
  "whole",
  "lost",
  "silent",
  "unnamed",
  "unsaved",
  "rows",
  "readable",
  "saved",
  "recovered",
] as const;

export const noImages = (): Outcome =>
  Object.fromEntries(COUNTS.map((count) => [count, 0])) as Record<(typeof COUNTS)[number], number>;

export function sumOf(outcomes: Iterable<Outcome>): Outcome {
  const sum = noImages();
  for (const outcome of outcomes) for (const count of COUNTS) sum[count] += outcome[count];
  return sum;
}

/**
 * Of the images with a damaged log, and neither its index nor its mark, the shares with a loss that cannot be seen and
 * with a row that cannot be saved, rounded up from 1,000 images.
 */
const UNKNOWN_END_SHARES = { silent: 0.08, unsaved: 0.22 } as const;
const DEVIATIONS = 3;

/**
 * What exceeds the bounds of the images whose log has an unknown end. The bounds are three standard deviations above
 * the shares, so that they also hold for a few images.
 */
export function excessOf(unknownEnd: Outcome): string[] {
  return (["silent", "unsaved"] as const).flatMap((count) => {
    const usual = UNKNOWN_END_SHARES[count] * unknownEnd.images;
    const most = Math.ceil(usual + DEVIATIONS * Math.sqrt(usual));
    return unknownEnd[count] > most
      ? [
          `${unknownEnd[count]} of ${unknownEnd.images} images without an end are ${count}, at most ${most} are usual`,
        ]
      : [];
  });
}

/** A table of results, one line for each damage. @param hasRecover whether `.recover` was tried */
export function outcomeTable(outcomes: Iterable<readonly [string, Outcome]>, hasRecover: boolean): string {
  const lines = [...outcomes].map(([what, one]) => [
    what,
    one.images,
    one.lost,
    one.rows,
    one.readable,
    one.saved,
    hasRecover ? one.recovered : "–",
    one.silent,
    one.unsaved,
    one.unnamed,
  ]);
  const head = [
    "damage",
    "images",
    "lost",
    "rows",
    "readable",
    "saved",
    "`.recover`",
    "silent",
    "unsaved",
    "not named",
  ];
  return [head, head.map(() => "---"), ...lines].map((line) => `| ${line.join(" | ")} |`).join("\n");
}
