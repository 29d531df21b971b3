import type { Pin, PictureType, Plan } from "../domain/plan.ts";
import { Store } from "./database.ts";
import { storedJson } from "./stored-json.ts";

/** A picture as it is stored. */
export interface StoredPicture {
  readonly type: PictureType;
  /** Base64: a damaged database is recovered from columns of text and numbers. */
  readonly base64: string;
}

/** The floor plans. They are in the main database, so that every backup has them. */
export class PlanStore extends Store {
  readonly #all = this.prepare<PlanRow>(
    "SELECT id, name, type, pins, picture_at AS pictureAtMs FROM plans ORDER BY id",
  );
  readonly #picture = this.prepare<StoredPicture>("SELECT type, picture AS base64 FROM plans WHERE id = ?");
  readonly #add = this.prepare(
    "INSERT INTO plans(name, type, picture, picture_at, pins) VALUES(?, ?, ?, ?, '[]')",
  );
  readonly #change = this.prepare("UPDATE plans SET name = ?, pins = ? WHERE id = ?");
  readonly #setPicture = this.prepare("UPDATE plans SET type = ?, picture = ?, picture_at = ? WHERE id = ?");
  readonly #remove = this.prepare("DELETE FROM plans WHERE id = ?");

  /** All plans without their pictures, in the order in which they were added. */
  all(): Plan[] {
    return this.#all.all().map((row) => ({ ...row, pins: storedJson<Pin[]>(row.pins, []) }));
  }

  find(id: number): Plan | undefined {
    return this.all().find((plan) => plan.id === id);
  }

  picture(id: number): StoredPicture | undefined {
    return this.#picture.get(id);
  }

  /** @returns the id of the new plan */
  add(name: string, { type, base64 }: StoredPicture, nowMs: number): number {
    return Number(this.#add.run(name, type, base64, nowMs).lastInsertRowid);
  }

  change({ id, name, pins }: Pick<Plan, "id" | "name" | "pins">): void {
    this.#change.run(name, JSON.stringify(pins), id);
  }

  setPicture(id: number, { type, base64 }: StoredPicture, nowMs: number): void {
    this.#setPicture.run(type, base64, nowMs, id);
  }

  remove(id: number): void {
    this.#remove.run(id);
  }
}

interface PlanRow extends Omit<Plan, "pins"> {
  readonly pins: string;
}
