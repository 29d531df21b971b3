import { X509Certificate } from "node:crypto";
import { resolve } from "node:path";
import { messageOf } from "../domain/errors.ts";
import type { BrokerTls } from "../domain/mqtt-broker.ts";
import type { Configuration } from "../generated/types.ts";
import { FILE_BYTES_MAX, readBounded } from "./bounded-file.ts";
import type { ConfigProblem } from "./problems.ts";

/** In place of an authority whose file cannot be used. Without certificates no server is trusted; empty, the public authorities would be. */
const NO_AUTHORITY = "no certificate authority";

/** The certificate files of the configuration: their texts, and what is wrong with them. */
export class CertificateFiles {
  /** PEM of the authority accepted for the dispatch centre; undefined if none is configured. */
  readonly upstream: string | undefined;
  /** PEM of the authority accepted for PostgreSQL; undefined if none is configured. */
  readonly database: string | undefined;
  /** Of an external broker; undefined if none are configured. */
  readonly mqtt: BrokerTls | undefined;
  /** Missing and unusable files. With them an authority trusts no server, and a client certificate is not sent. */
  readonly problems: ConfigProblem[] = [];
  readonly #folder: string;

  /**
   * Reads the files.
   * @param folder base of relative paths
   */
  constructor({ upstream, mqtt, databaseCaFile }: Configuration, folder: string) {
    this.#folder = folder;
    this.upstream = this.#authority(["upstream", "caFile"], upstream?.caFile, "the dispatch centre");
    this.database = this.#authority(["databaseCaFile"], databaseCaFile, "PostgreSQL");
    const tls = mqtt === undefined || mqtt === "off" ? undefined : mqtt.tls;
    if (tls === undefined) return;
    const ca = this.#authority(["mqtt", "tls", "caFile"], tls.caFile, "the broker");
    const cert = this.#text(["mqtt", "tls", "certFile"], tls.certFile);
    const key = this.#text(["mqtt", "tls", "keyFile"], tls.keyFile);
    const isWhole = cert !== undefined && key !== undefined;
    this.mqtt = { ...(ca === undefined ? {} : { ca }), ...(isWhole ? { cert, key } : {}) };
  }

  /** @param whose for the remedy */
  #authority(path: ConfigProblem["path"], file: string | undefined, whose: string): string | undefined {
    if (file === undefined) return undefined;
    try {
      const ca = readBounded(resolve(this.#folder, file), FILE_BYTES_MAX);
      // Else each connection would fail, with an error that does not name the file.
      void new X509Certificate(ca);
      return ca;
    } catch (error) {
      const message = `${resolve(this.#folder, file)} is not a readable certificate in PEM format: ${messageOf(error)}. Use the certificate of the authority that signed the one of ${whose}`;
      this.problems.push({ path, message });
      return NO_AUTHORITY;
    }
  }

  #text(path: ConfigProblem["path"], file: string | undefined): string | undefined {
    if (file === undefined) return undefined;
    try {
      return readBounded(resolve(this.#folder, file), FILE_BYTES_MAX);
    } catch (error) {
      const message = `cannot read ${resolve(this.#folder, file)}: ${messageOf(error)}. Use a file that this user can read`;
      this.problems.push({ path, message });
      return undefined;
    }
  }
}
