import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { Actor } from "../domain/event.ts";
import { PLANS_MAX, type Pin, type Plan } from "../domain/plan.ts";
import type { Database } from "../store/database.ts";
import { PlanStore, type StoredPicture } from "../store/plans.ts";
import { transaction } from "../store/transaction.ts";
import { EventService } from "./events.ts";

/** What a change of a plan replaces; what is undefined stays. */
export interface PlanChange {
  readonly name?: string | undefined;
  readonly pins?: readonly Pin[] | undefined;
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

  /** Changes the name and the pins. @throws AppError `not-found` */
  change(id: number, { name, pins }: PlanChange, by: Actor): void {
    transaction(this.#database, () => {
      const plan = this.#existing(id);
      this.#plans.change({ id, name: name ?? plan.name, pins: pins ?? plan.pins });
      this.#record("changed", name ?? plan.name, by);
    });
  }

  /** Replaces the picture; the pins stay. @throws AppError `not-found` */
  setPicture(id: number, picture: StoredPicture, by: Actor): void {
    transaction(this.#database, () => {
      const { name } = this.#existing(id);
      this.#plans.setPicture(id, picture, this.#clock.wallMs());
      this.#record("changed", name, by);
    });
  }

  /** @throws AppError `not-found` */
  remove(id: number, by: Actor): void {
    transaction(this.#database, () => {
      const { name } = this.#existing(id);
      this.#plans.remove(id);
      this.#record("removed", name, by);
    });
  }

  #existing(id: number): Plan {
    const plan = this.#plans.find(id);
    if (!plan) throw new AppError("not-found", `floor plan ${id} does not exist`);
    return plan;
  }

  #record(change: "added" | "changed" | "removed", name: string, by: Actor): void {
    this.#events.record({ event: "plan-changed", subject: `plan ${name}`, detail: { change }, ...by });
  }
}
