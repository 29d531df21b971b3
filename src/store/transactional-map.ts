import type { GroupCommit } from "./group-commit.ts";

/**
 * A map in memory that agrees with the database: a change made in a group commit is undone if that commit fails. Its
 * owner changes it like any map.
 */
export class TransactionalMap<Key, Value> extends Map<Key, Value> {
  readonly #commits: Pick<GroupCommit, "onRollback">;
  readonly #onUndone: () => void;

  /** @param onUndone called after a change was undone */
  constructor(commits: Pick<GroupCommit, "onRollback">, onUndone: () => void = () => {}) {
    super();
    this.#commits = commits;
    this.#onUndone = onUndone;
  }

  override set(key: Key, value: Value): this {
    this.#undoOnRollback(key);
    return super.set(key, value);
  }

  override delete(key: Key): boolean {
    this.#undoOnRollback(key);
    return super.delete(key);
  }

  override clear(): void {
    for (const key of this.keys()) this.delete(key);
  }

  #undoOnRollback(key: Key): void {
    const hadValue = this.has(key);
    const before = this.get(key) as Value;
    this.#commits.onRollback(() => {
      if (hadValue) super.set(key, before);
      else super.delete(key);
      this.#onUndone();
    });
  }
}
