import type { CancelTimer, Clock, TrustedTime } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import {
  certificateFromFiles,
  ownCertificate,
  ownCertificateIfThere,
  type ServerCertificate,
} from "./certificates.ts";

export interface CertificateKeeperOptions {
  readonly tls:
    | { readonly mode: "off" }
    | { readonly mode: "own" }
    | { readonly mode: "files"; readonly certFile: string; readonly keyFile: string };
  readonly dataDir: string;
  /** Names for the own certificate, beside this machine's. */
  readonly names: readonly string[];
  readonly clock: Clock;
  readonly time: TrustedTime;
  readonly log: Log;
  readonly conditions: Conditions;
  /** Called with each certificate after the first one. */
  readonly onRenewed: (certificate: ServerCertificate) => void;
}

const CHECK_EVERY_MS = 3_600_000;
/** While the clock is not set: a certificate of a wrong time is made again soon after it is. */
const CHECK_UNSET_EVERY_MS = 60_000;
/** A technician who comes the next day still reads that the authority was made again. */
const SHOWN_FOR_MS = 86_400_000;
/** Renewal has failed for weeks when so little is left. */
const WARN_BEFORE_MS = 14 * 86_400_000;

/** Has a certificate ready for the network side, and renews it without a restart. */
export class CertificateKeeper {
  readonly #options: CertificateKeeperOptions;
  #current: ServerCertificate | undefined;
  #cancel: CancelTimer = () => {};
  #cancelShowing: CancelTimer = () => {};

  constructor(options: CertificateKeeperOptions) {
    this.#options = options;
  }

  /**
   * The certificate; undefined without TLS.
   * @throws AppError when there is none to be had
   */
  async start(): Promise<ServerCertificate | undefined> {
    const { tls, dataDir } = this.#options;
    if (tls.mode === "off") return undefined;
    const before = tls.mode === "own" ? ownCertificateIfThere(dataDir) : undefined;
    this.#current = await this.#load();
    this.#tellOfAuthority(before, this.#current);
    this.#tell(this.#current);
    this.#wait();
    return this.#current;
  }

  stop(): void {
    this.#cancel();
    this.#cancelShowing();
  }

  /** PEM of this installation's own authority; undefined where a certificate comes from elsewhere. */
  get authority(): string | undefined {
    return this.#current?.authority?.pem;
  }

  #load(): ServerCertificate | Promise<ServerCertificate> {
    const { tls, dataDir, names, clock, time } = this.#options;
    return tls.mode === "files"
      ? certificateFromFiles(tls.certFile, tls.keyFile)
      : ownCertificate(dataDir, { names, nowMs: clock.wallMs(), isClockTrusted: time.isTrusted() });
  }

  #wait(): void {
    const { clock, time } = this.#options;
    this.#cancel = clock.after(time.isTrusted() ? CHECK_EVERY_MS : CHECK_UNSET_EVERY_MS, () => {
      void this.#check().finally(() => this.#wait());
    });
  }

  async #check(): Promise<void> {
    const { conditions, onRenewed } = this.#options;
    try {
      const certificate = await this.#load();
      if (certificate.cert === this.#current?.cert) return this.#warn(certificate);
      onRenewed(certificate);
      this.#tellOfAuthority(this.#current, certificate);
      this.#current = certificate;
      this.#tell(certificate);
    } catch (error) {
      conditions.raise("certificate-not-renewed", `${messageOf(error)}; the one until now stays in use`);
    }
  }

  #tell(certificate: ServerCertificate): void {
    this.#options.log.info("certificate-loaded", {
      names: certificate.names,
      validUntil: new Date(certificate.validUntilMs).toISOString(),
      authorityFingerprint: certificate.authority?.fingerprint,
    });
    this.#warn(certificate);
  }

  #warn({ validFromMs, validUntilMs, authority }: ServerCertificate): void {
    const { clock, conditions, time, tls } = this.#options;
    const nowMs = clock.wallMs();
    if (validUntilMs - nowMs > WARN_BEFORE_MS) conditions.clear("certificate-not-renewed");
    else conditions.raise("certificate-not-renewed", { until: new Date(validUntilMs).toISOString() });
    const fromMs = Math.max(validFromMs, authority?.validFromMs ?? 0);
    if (fromMs <= nowMs) {
      conditions.clear("certificate-of-wrong-time", "certificate");
      return;
    }
    const remedy =
      tls.mode === "files"
        ? "Check the clock (timedatectl timesync-status) and the file"
        : `Both are made again once the clock is set${time.isTrusted() ? "" : ", which no time server has done yet"} (timedatectl timesync-status)`;
    conditions.raise(
      "certificate-of-wrong-time",
      `the certificate or its authority is valid from ${isoOf(fromMs)}, and it is ${isoOf(nowMs)}: no client accepts that. ${remedy}.`,
      "certificate",
    );
  }

  /** Devices that have installed the old authority refuse the new certificate until they have the new one. */
  #tellOfAuthority(before: ServerCertificate | undefined, { authority }: ServerCertificate): void {
    const old = before?.authority;
    if (!old || !authority || old.fingerprint === authority.fingerprint) return;
    const { conditions, clock } = this.#options;
    conditions.raise(
      "certificate-of-wrong-time",
      `the authority was valid from ${isoOf(old.validFromMs)}, so it and the certificate are made again. Install the new authority (santinela cert --ca) on each device that has the old one; its SHA-256 fingerprint is ${authority.fingerprint}.`,
      "authority",
    );
    this.#cancelShowing();
    this.#cancelShowing = clock.after(SHOWN_FOR_MS, () =>
      conditions.clear("certificate-of-wrong-time", "authority"),
    );
  }
}

function isoOf(wallMs: number): string {
  return new Date(wallMs).toISOString();
}
