import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { crc32, deflateSync } from "node:zlib";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const { animatedPng } = (await import(new URL("../../scripts/animated-png.mjs", import.meta.url).href)) as {
  readonly animatedPng: (shots: readonly { png: Buffer; ms: number }[]) => Buffer;
};
const { changedShare, chunksOf } = (await import(new URL("../../scripts/png.mjs", import.meta.url).href)) as {
  readonly changedShare: (before: Buffer, after: Buffer) => number;
  readonly chunksOf: (png: Buffer) => readonly { type: string; data: Buffer }[];
};

test.each([
  ["README.md", "docs/screenshots/trip-en.png"],
  ["README.ro.md", "docs/screenshots/trip-ro.png"],
])("%s shows %s, an animation below 1 MB, and a still picture for reduced motion", (page, picture) => {
  const text = readFileSync(`${root}${page}`, "utf8");
  expect(text).toMatch(new RegExp(`<img src="${picture}" alt="[^"]{80,}">`));
  const still = /prefers-reduced-motion: reduce\)" srcset="([^"]+)"/.exec(text)?.[1] ?? "none";
  expect(existsSync(`${root}${still}`)).toBe(true);
  const png = readFileSync(`${root}${picture}`);
  expect(png.length).toBeLessThan(1_000_000);
  const chunks = chunksOf(png);
  expect(chunks.slice(0, 2).map(({ type }) => type)).toEqual(["IHDR", "acTL"]);
  const frames = chunks.filter(({ type }) => type === "fcTL");
  expect(frames.length).toBeGreaterThan(10);
  expect(chunks[1]?.data.readUInt32BE(0)).toBe(frames.length);
});

test("equal screenshots become one frame, and a changed one stores only the changed rectangle", () => {
  const [white, dotted] = [image(), image([[2, 1]])];
  const chunks = chunksOf(
    animatedPng([
      { png: white, ms: 100 },
      { png: white, ms: 50 },
      { png: dotted, ms: 70 },
    ]),
  );
  expect(chunks.map(({ type }) => type)).toEqual(["IHDR", "acTL", "fcTL", "IDAT", "fcTL", "fdAT", "IEND"]);
  const controls = chunks.filter(({ type }) => type === "fcTL").map(({ data }) => frameOf(data));
  expect(controls).toEqual([
    { sequence: 0, width: 4, height: 3, x: 0, y: 0, ms: 150 },
    { sequence: 1, width: 1, height: 1, x: 2, y: 1, ms: 70 },
  ]);
});

test("the share of changed pixels of two screenshots, which is all of it for another size", () => {
  expect(changedShare(image(), image())).toBe(0);
  expect(
    changedShare(
      image(),
      image([
        [2, 1],
        [3, 2],
        [0, 0],
      ]),
    ),
  ).toBe(0.25);
  expect(changedShare(image(), readFileSync(join(root, "docs/screenshots/status-ro-phone.png")))).toBe(1);
});

test("every chunk carries its checksum", () => {
  const png = animatedPng([{ png: image(), ms: 1 }]);
  let at = 8;
  for (const { type, data } of chunksOf(png)) {
    const body = png.subarray(at + 4, at + 8 + data.length);
    expect(png.readUInt32BE(at + 8 + data.length), type).toBe(crc32(body));
    at += data.length + 12;
  }
  expect(at).toBe(png.length);
});

/** A white image of 4 x 3 pixels with black ones. */
function image(black: readonly (readonly [x: number, y: number])[] = []): Buffer {
  const rows = [0, 1, 2].map((y) => [
    0,
    ...[0, 1, 2, 3].flatMap((x) => Array(3).fill(black.some(([bx, by]) => bx === x && by === y) ? 0 : 255)),
  ]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(4, 0);
  header.writeUInt32BE(3, 4);
  header.set([8, 2], 8);
  const parts = [
    ["IHDR", header],
    ["IDAT", deflateSync(Buffer.from(rows.flat()))],
  ] as const;
  const chunks = parts.map(([type, data]) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(data.length);
    // The checksum is not read.
    return Buffer.concat([length, Buffer.from(type), data, Buffer.alloc(4)]);
  });
  return Buffer.concat([Buffer.alloc(8), ...chunks]);
}

function frameOf(data: Buffer): Record<string, number> {
  const [sequence, width, height, x, y] = [0, 4, 8, 12, 16].map((at) => data.readUInt32BE(at));
  return { sequence, width, height, x, y, ms: data.readUInt16BE(20) } as Record<string, number>;
}
