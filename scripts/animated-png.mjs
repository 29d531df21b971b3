// Joins PNG screenshots of one size to an animated PNG (PNG specification, third edition, 4.9 and 11.3.7). After the first
// frame only the rectangle that has changed is stored.
import { crc32, deflateSync } from "node:zlib";
import { decoded, DEPTH, predicted, RGB, SIGNATURE } from "./png.mjs";

/**
 * @param {readonly { png: Buffer, ms: number }[]} shots screenshots, each with the time for which it is shown
 * @returns {Buffer} an animation without an end; equal neighbours are one frame
 */
export function animatedPng(shots) {
  const frames = [];
  for (const { png, ms } of shots) {
    const image = decoded(png);
    const last = frames.at(-1);
    const area = last
      ? changedArea(last.image, image)
      : { x: 0, y: 0, width: image.width, height: image.height };
    if (area) frames.push({ image, area, ms });
    else last.ms += ms;
  }
  const [{ image }] = frames;
  let sequence = 0;
  const chunks = frames.flatMap(({ image, area, ms }, index) => {
    const control = chunk("fcTL", frameControl(sequence++, area, ms));
    const data = deflateSync(filtered(image, area), { level: 9, memLevel: 9 });
    return [
      control,
      index === 0 ? chunk("IDAT", data) : chunk("fdAT", Buffer.concat([uint32(sequence++), data])),
    ];
  });
  const header = Buffer.concat([uint32(image.width), uint32(image.height), Buffer.from([8, RGB, 0, 0, 0])]);
  const animation = Buffer.concat([uint32(frames.length), uint32(0)]);
  return Buffer.concat([
    SIGNATURE,
    chunk("IHDR", header),
    chunk("acTL", animation),
    ...chunks,
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** The smallest rectangle around all differences; undefined if the images are equal. */
function changedArea(before, after) {
  const { width, height, pixels } = after;
  let [left, top, right, bottom] = [width, height, -1, -1];
  for (let y = 0; y < height; y += 1) {
    const row = y * width * DEPTH;
    if (before.pixels.compare(pixels, row, row + width * DEPTH, row, row + width * DEPTH) === 0) continue;
    top = Math.min(top, y);
    bottom = y;
    const differs = (x) =>
      [0, 1, 2].some((n) => before.pixels[row + x * DEPTH + n] !== pixels[row + x * DEPTH + n]);
    for (let x = 0; x < left; x += 1) if (differs(x)) left = x;
    for (let x = width - 1; x > right; x -= 1) if (differs(x)) right = x;
  }
  return right < 0 ? undefined : { x: left, y: top, width: right - left + 1, height: bottom - top + 1 };
}

/** The rows of an area, each with the filter that leaves the smallest numbers. */
function filtered({ width, pixels }, area) {
  let above = Buffer.alloc(area.width * DEPTH);
  const rows = [];
  for (let y = area.y; y < area.y + area.height; y += 1) {
    const start = (y * width + area.x) * DEPTH;
    const row = pixels.subarray(start, start + area.width * DEPTH);
    const choices = [0, 1, 2, 3, 4].map((filter) => filteredRow(row, above, filter));
    rows.push(choices.reduce((best, one) => (one.sum < best.sum ? one : best)).bytes);
    above = row;
  }
  return Buffer.concat(rows);
}

function filteredRow(row, above, filter) {
  const bytes = Buffer.alloc(row.length + 1);
  bytes[0] = filter;
  let sum = 0;
  for (let at = 0; at < row.length; at += 1) {
    const left = at < DEPTH ? 0 : row[at - DEPTH];
    const corner = at < DEPTH ? 0 : above[at - DEPTH];
    const rest = (row[at] - predicted(filter, left, above[at], corner)) & 0xff;
    bytes[at + 1] = rest;
    sum += rest < 128 ? rest : 256 - rest;
  }
  return { bytes, sum };
}

/** The area stays for `ms`, and the next frame is drawn over it. */
function frameControl(sequence, { x, y, width, height }, ms) {
  const delay = Buffer.alloc(6);
  delay.writeUInt16BE(ms, 0);
  delay.writeUInt16BE(1000, 2);
  return Buffer.concat([sequence, width, height, x, y].map(uint32).concat(delay));
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  return Buffer.concat([uint32(data.length), body, uint32(crc32(body))]);
}

function uint32(number) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number);
  return bytes;
}
