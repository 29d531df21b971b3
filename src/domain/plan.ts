/** A floor plan: a picture with zones placed on it. */
export interface Plan {
  readonly id: number;
  readonly name: string;
  readonly type: PictureType;
  readonly pins: readonly Pin[];
  /** Wall clock of the last change of the picture, milliseconds since 1970. */
  readonly pictureAtMs: number;
}

/** A zone placed on a plan. */
export interface Pin {
  /** Id of the zone; one that is configured no longer keeps its place. */
  readonly zone: string;
  /** Distance from the left edge, per cent of the width, 0 to 100. */
  readonly x: number;
  /** Distance from the upper edge, per cent of the height, 0 to 100. */
  readonly y: number;
}

/** Content types of pictures. None of them can contain a script, as SVG can. */
export type PictureType = "image/png" | "image/jpeg";

/** Maximum plans of a site: a storey each, and the yard. */
export const PLANS_MAX = 12;
/** Maximum pins of a plan: as many zones as a large site has. */
export const PINS_MAX = 500;
/** Maximum size of a picture: 2000 pixels of a scanned plan take about half of it. */
export const PICTURE_BYTES_MAX = 2 * 1024 * 1024;
/** Maximum length of a plan's name, which is shown on a button. */
export const PLAN_NAME_MAX = 40;

const SIGNATURES: readonly (readonly [PictureType, readonly number[]])[] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
];

/** The type of a picture by its first bytes, because a name or a header could say anything; undefined for other files. */
export function pictureTypeOf(bytes: Uint8Array): PictureType | undefined {
  return SIGNATURES.find(([, signature]) => signature.every((byte, at) => bytes[at] === byte))?.[0];
}
