import type { LocalApiResult } from "./local-api.ts";

/** A record as the API answered it, and the version that this is. */
type Version = Pick<Extract<LocalApiResult, { type: "record" }>, "record" | "etag">;

/** Records that are kept in memory as they were last written: the open incidents of a large site. */
const REMEMBERED_MAX = 512;

/** Records as we left them. A change made for such a version is refused if the record has changed since. */
export class RecordVersions {
  readonly #versions = new Map<number, Version>();

  remember({ record, etag }: Version): void {
    this.#versions.delete(record.id);
    if (etag !== "") this.#versions.set(record.id, { record, etag });
    if (this.#versions.size > REMEMBERED_MAX) this.#versions.delete(this.#versions.keys().next().value ?? 0);
  }

  /** The record as we left it, once: its next write remembers the next version. */
  take(id: number): Version | undefined {
    const version = this.#versions.get(id);
    this.#versions.delete(id);
    return version;
  }
}
