import type { Pin, PictureType } from "../domain/plan.ts";

/** A floor plan without its picture. */
export interface PlanView {
  readonly id: number;
  readonly name: string;
  readonly type: PictureType;
  /** When its picture was stored, ISO 8601 UTC. */
  readonly pictureAt: string;
  readonly pins: readonly Pin[];
  /** Its version, for If-Match. */
  readonly etag: string;
}
