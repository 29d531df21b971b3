import { createHash } from "node:crypto";
import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { Actor } from "../domain/event.ts";
import { PLANS_MAX, type Pin, type Plan } from "../domain/plan.ts";
import type { Database } from "../store/database.ts";
import { PlanStore, type StoredPicture } from "../store/plans.ts";
import { transaction } from "../store/transaction.ts";
import { EventService } from "./events.ts";
import { isMatch } from "./records.ts";

/** What a change of a plan replaces; what is undefined stays. */
export interface PlanChange {
  readonly name?: string | undefined;
  readonly pins?: readonly Pin[] | undefined;
}

/** The entity tag of a plan: another name, place or picture has another one. */
export function planTag({ name, type, pins, pictureAtMs }: Plan): string {
  const content = JSON.stringify([name, type, pictureAtMs, pins.map(({ zone, x, y }) => [zone, x, y])]);
  return `"${createHash("sha256").update(content).digest("base64url").slice(0, 22)}"`;
}

/** Writes the floor plans; every change is in the event log. */
export class PlanService {
  readonly #database: Database;
  readonly #clock: Clock;
  readonly #plans: PlanStore;
  readonly #events: EventService;

  constructor({ database, clock }: { database: Database; clock: Clock }) {
    this.#database = database;
    this.#clock = clock;
    this.#plans = new PlanStore(database);
    this.#events = new EventService({ database, clock });
  }

  /** Adds a plan. @returns its id. @throws AppError `conflict` if there are too many */
  add(name: string, picture: StoredPicture, by: Actor): number {
    return transaction(this.#database, () => {
      if (this.#plans.all().length >= PLANS_MAX)
        throw new AppError("conflict", `there are ${PLANS_MAX} floor plans; remove one first`);
      const id = this.#plans.add(name, picture, this.#clock.wallMs());
      this.#record("added", name, by);
      return id;
    });
  }

  /**
   * Changes the name and the pins.
   * @param ifMatch the If-Match header; undefined to change any version
   * @throws AppError `not-found`, `precondition-failed`
   */
  change(id: number, { name, pins }: PlanChange, by: Actor, ifMatch?: string): void {
    transaction(this.#database, () => {
      const plan = this.#existing(id, ifMatch);
      this.#plans.change({ id, name: name ?? plan.name, pins: pins ?? plan.pins });
      this.#record("changed", name ?? plan.name, by);
    });
  }

  /** Replaces the picture; the pins stay. @throws AppError as `change` */
  setPicture(id: number, picture: StoredPicture, by: Actor, ifMatch?: string): void {
    transaction(this.#database, () => {
      const { name } = this.#existing(id, ifMatch);
      this.#plans.setPicture(id, picture, this.#clock.wallMs());
      this.#record("changed", name, by);
    });
  }

  /** @throws AppError as `change` */
  remove(id: number, by: Actor, ifMatch?: string): void {
    transaction(this.#database, () => {
      const { name } = this.#existing(id, ifMatch);
      this.#plans.remove(id);
      this.#record("removed", name, by);
    });
  }

  /** Two administrators must not undo each other's places without knowing. */
  #existing(id: number, ifMatch: string | undefined): Plan {
    const plan = this.#plans.find(id);
    if (!plan) throw new AppError("not-found", `floor plan ${id} does not exist`);
    if (!isMatch(ifMatch, planTag(plan)))
      throw new AppError(
        "precondition-failed",
        `floor plan ${id} has changed since it was read; read it again`,
      );
    return plan;
  }

  #record(change: "added" | "changed" | "removed", name: string, by: Actor): void {
    this.#events.record({ event: "plan-changed", subject: `plan ${name}`, detail: { change }, ...by });
  }
}
