import type { LocalApiResult } from "./local-api.ts";

/** A record as returned by the API, with its version. */
type Version = Pick<Extract<LocalApiResult, { type: "record" }>, "record" | "etag">;

/** Maximum number of cached records: the open incidents of a large site. */
const VERSIONS_MAX = 512;

/** Cache of records as this process last wrote them. A change of an outdated version is rejected by its ETag. */
export class RecordVersions {
  readonly #versions = new Map<number, Version>();

  remember({ record, etag }: Version): void {
    this.#versions.delete(record.id);
    if (etag !== "") this.#versions.set(record.id, { record, etag });
    if (this.#versions.size > VERSIONS_MAX) this.#versions.delete(this.#versions.keys().next().value ?? 0);
  }

  /** Returns and removes the cached record; its next write adds the next version. */
  take(id: number): Version | undefined {
    const version = this.#versions.get(id);
    this.#versions.delete(id);
    return version;
  }
}
