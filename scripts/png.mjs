// The chunks and pixels of a PNG file (PNG specification, third edition).
import { inflateSync } from "node:zlib";

export const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
export const RGB = 2;
const RGBA = 6;
/** Bytes of a pixel as stored: screenshots are opaque. */
export const DEPTH = 3;

/**
 * The chunks of a PNG file in order.
 * @param {Buffer} png
 * @returns {{ type: string, data: Buffer }[]}
 */
export function chunksOf(png) {
  const found = [];
  for (let at = SIGNATURE.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    found.push({ type: png.toString("latin1", at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return found;
}

/**
 * @param {Buffer} before
 * @param {Buffer} after
 * @returns {number} the part of the pixels that differ, 0 to 1; 1 for another size
 */
export function changedShare(before, after) {
  const [one, other] = [decoded(before), decoded(after)];
  if (one.width !== other.width || one.height !== other.height) return 1;
  let differing = 0;
  for (let at = 0; at < one.pixels.length; at += DEPTH)
    if (one.pixels.readUIntBE(at, DEPTH) !== other.pixels.readUIntBE(at, DEPTH)) differing += 1;
  return differing / (one.width * one.height);
}

/** The pixels of an 8-bit RGB or RGBA image without interlacing, as Chromium writes them. */
export function decoded(png) {
  const chunks = chunksOf(png);
  const header = chunks[0].data;
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [bits, colour, , , interlacing] = header.subarray(8);
  if (bits !== 8 || (colour !== RGB && colour !== RGBA) || interlacing !== 0)
    throw new Error(`a PNG of ${bits} bits, colour type ${colour} and interlacing ${interlacing}`);
  const bytes = colour === RGBA ? 4 : 3;
  const stride = width * bytes;
  const data = inflateSync(
    Buffer.concat(chunks.filter(({ type }) => type === "IDAT").map((one) => one.data)),
  );
  const pixels = Buffer.alloc(width * height * DEPTH);
  let above = Buffer.alloc(stride);
  for (let y = 0; y < height; y += 1) {
    const start = y * (stride + 1) + 1;
    const row = unfiltered(data.subarray(start, start + stride), above, data[start - 1], bytes);
    for (let x = 0; x < width; x += 1)
      row.copy(pixels, (y * width + x) * DEPTH, x * bytes, x * bytes + DEPTH);
    above = row;
  }
  return { width, height, pixels };
}

function unfiltered(line, above, filter, bytes) {
  const row = Buffer.from(line);
  for (let at = 0; at < row.length; at += 1) {
    const left = at < bytes ? 0 : row[at - bytes];
    const corner = at < bytes ? 0 : above[at - bytes];
    row[at] += predicted(filter, left, above[at], corner);
  }
  return row;
}

/** The five filters: none, left, above, average, Paeth. */
export function predicted(filter, left, up, corner) {
  if (filter < 3) return [0, left, up][filter];
  if (filter === 3) return (left + up) >> 1;
  const guess = left + up - corner;
  const [toLeft, toUp, toCorner] = [Math.abs(guess - left), Math.abs(guess - up), Math.abs(guess - corner)];
  if (toLeft <= toUp && toLeft <= toCorner) return left;
  return toUp <= toCorner ? up : corner;
}
