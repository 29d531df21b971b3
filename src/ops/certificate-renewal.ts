import { isIP } from "node:net";
import type { TlsConfig } from "../config/config.ts";
import { type CancelTimer, type Clock, isoTime, type TrustedTime } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import {
  certificateFromFiles,
  ownCertificate,
  ownCertificateIfThere,
  temporaryCertificate,
  type ServerCertificate,
} from "./certificates.ts";
import { reportDamagedFiles } from "./damaged-files.ts";

interface CertificateKeeperOptions {
  readonly tls: TlsConfig;
  readonly dataDir: string;
  /** Additional names for the own certificate. */
  readonly names: readonly string[];
  readonly clock: Clock;
  readonly time: TrustedTime;
  readonly log: Log;
  readonly conditions: Conditions;
  /** Called with each certificate after the first one. */
  readonly onRenewed: (certificate: ServerCertificate) => void;
}

const CHECK_INTERVAL_MS = 3_600_000;
/** Interval while the clock is not trusted, the last check failed, or the certificate is not valid yet: all may be remedied soon. */
const SHORT_CHECK_INTERVAL_MS = 60_000;
/** How long a replaced certificate authority is reported, so that a technician sees it the next day. */
const SHOWN_FOR_MS = 86_400_000;
/** Remaining validity that causes a warning: renewal has failed for weeks by then. */
const WARN_BEFORE_MS = 14 * 86_400_000;

/** What is used while a certificate cannot be loaded: the present one, that of the installation, or one that is not stored. */
type InUse = "present" | "own" | "temporary";

/** Provides the TLS certificate, and renews it without a restart. */
export class CertificateKeeper {
  readonly #options: CertificateKeeperOptions;
  #current: ServerCertificate | undefined;
  /** The last time that its files were read, monotonic. */
  #checkedAtMs = 0;
  #hasFailed = false;
  #inUse: InUse = "present";
  #cancel: CancelTimer = () => {};
  #cancelReport: CancelTimer = () => {};

  constructor(options: CertificateKeeperOptions) {
    this.#options = options;
  }

  /**
   * Loads the certificate; undefined without TLS. Zones are monitored whatever the state of its files and of the disk: in
   * place of one that cannot be loaded or stored, the present one of the installation is used, or a new one.
   */
  async start(): Promise<ServerCertificate | undefined> {
    const { tls, dataDir, conditions } = this.#options;
    if (tls.mode === "off") {
      reportDamagedFiles(dataDir, conditions);
      return undefined;
    }
    const before = tls.mode === "own" ? ownCertificateIfThere(dataDir) : undefined;
    let fault: string | undefined;
    try {
      this.#current = await this.#load();
    } catch (error) {
      this.#hasFailed = true;
      this.#current = before ?? (await this.#substitute());
      if (!before) this.#inUse = tls.mode === "files" ? "own" : "temporary";
      fault = this.#faultText(error);
    }
    this.#reportNewAuthority(before, this.#current);
    this.#report(this.#current);
    if (fault !== undefined) conditions.raise("certificate-not-renewed", fault);
    this.#checkedAtMs = this.#options.clock.monotonicMs();
    this.#wait();
    return this.#current;
  }

  stop(): void {
    this.#cancel();
    this.#cancelReport();
  }

  /** PEM of the installation's certificate authority; undefined for a certificate from files. */
  get authority(): string | undefined {
    return this.#current?.authority?.pem;
  }

  #load(): ServerCertificate | Promise<ServerCertificate> {
    const { tls } = this.#options;
    return tls.mode === "files" ? certificateFromFiles(tls.certFile, tls.keyFile) : this.#loadOwn();
  }

  #loadOwn(): Promise<ServerCertificate> {
    const { dataDir, names, clock, time } = this.#options;
    return ownCertificate(dataDir, { names, nowMs: clock.wallMs(), isClockTrusted: time.isTrusted() });
  }

  async #substitute(): Promise<ServerCertificate> {
    const { tls, dataDir, names, clock } = this.#options;
    const temporary = () => temporaryCertificate(dataDir, { names, nowMs: clock.wallMs() });
    return tls.mode === "files" ? this.#loadOwn().catch(temporary) : temporary();
  }

  #faultText(error: unknown): string {
    const problem = messageOf(error);
    if (this.#inUse === "present") return `${problem}; the current certificate stays in use`;
    return this.#inUse === "own"
      ? `${problem}; the installation's own certificate is used until then: devices accept it only with its authority (tls/ca.crt in the data directory)`
      : `${problem}; a certificate that is not stored is used until then`;
  }

  #wait(): void {
    this.#cancel = this.#options.clock.after(SHORT_CHECK_INTERVAL_MS, () => {
      if (this.#isDue()) void this.#check().finally(() => this.#wait());
      else this.#wait();
    });
  }

  /** A certificate that was created while the clock was ahead is of no use to any client from the moment at which it is set back. */
  #isDue(): boolean {
    const { clock, time } = this.#options;
    if (!time.isTrusted() || this.#hasFailed) return true;
    if (this.#current && validFromMs(this.#current) > clock.wallMs()) return true;
    return clock.monotonicMs() - this.#checkedAtMs >= CHECK_INTERVAL_MS;
  }

  async #check(): Promise<void> {
    const { clock, conditions, onRenewed } = this.#options;
    this.#checkedAtMs = clock.monotonicMs();
    try {
      const certificate = await this.#load();
      this.#hasFailed = false;
      this.#inUse = "present";
      if (certificate.cert === this.#current?.cert) return this.#warn(certificate);
      onRenewed(certificate);
      this.#reportNewAuthority(this.#current, certificate);
      this.#current = certificate;
      this.#report(certificate);
    } catch (error) {
      this.#hasFailed = true;
      conditions.raise("certificate-not-renewed", this.#faultText(error));
    }
  }

  #report(certificate: ServerCertificate): void {
    this.#options.log.info("certificate-loaded", {
      names: certificate.names,
      validUntil: isoTime(certificate.validUntilMs),
      authorityFingerprint: certificate.authority?.fingerprint,
    });
    this.#warn(certificate);
  }

  #warn(certificate: ServerCertificate): void {
    const { validUntilMs } = certificate;
    const { dataDir, clock, conditions, time, tls } = this.#options;
    this.#reportLeftOut(certificate);
    reportDamagedFiles(dataDir, conditions);
    const nowMs = clock.wallMs();
    if (validUntilMs - nowMs > WARN_BEFORE_MS) conditions.clear("certificate-not-renewed");
    else conditions.raise("certificate-not-renewed", { until: isoTime(validUntilMs) });
    const fromMs = validFromMs(certificate);
    if (fromMs <= nowMs) {
      conditions.clear("certificate-of-wrong-time", "certificate");
      return;
    }
    const remedy =
      tls.mode === "files"
        ? "Check the clock (timedatectl timesync-status) and the file"
        : time.isTrusted()
          ? "Both are replaced once the clock is set (timedatectl timesync-status)"
          : "Both are replaced once the clock is set, which no time server has done yet (timedatectl timesync-status)";
    conditions.raise(
      "certificate-of-wrong-time",
      `the certificate or its authority is valid only from ${isoTime(fromMs)}: no client accepts it. ${remedy}.`,
      "certificate",
    );
  }

  #reportLeftOut({ leftOut }: ServerCertificate): void {
    const configured = new Set(this.#options.names.map((name) => name.toLowerCase()));
    // Another name without a dot is a former or new one of this machine, which is also there with `.local`. Another address
    // changes with each connection to the provider.
    const names = leftOut.filter((name) => configured.has(name) || (isIP(name) === 0 && name.includes(".")));
    const { conditions } = this.#options;
    if (names.length === 0) conditions.clear("certificate-incomplete");
    else conditions.raise("certificate-incomplete", { names: names.join(", ") });
  }

  /** Devices with the old certificate authority reject the new certificate until they have the new one. */
  #reportNewAuthority(before: ServerCertificate | undefined, { authority }: ServerCertificate): void {
    const old = before?.authority;
    if (!old || !authority || old.fingerprint === authority.fingerprint) return;
    const { conditions, clock } = this.#options;
    // Otherwise a user has replaced it.
    if (old.validFromMs <= clock.wallMs()) return;
    conditions.raise(
      "certificate-of-wrong-time",
      `the authority was valid from ${isoTime(old.validFromMs)}, so it and the certificate were replaced. Install the new authority (santinela cert --ca) on each device that has the old one; its SHA-256 fingerprint is ${authority.fingerprint}.`,
      "authority",
    );
    this.#cancelReport();
    this.#cancelReport = clock.after(SHOWN_FOR_MS, () =>
      conditions.clear("certificate-of-wrong-time", "authority"),
    );
  }
}

/** From when clients accept a certificate, milliseconds since 1970. */
function validFromMs({ validFromMs: fromMs, authority }: ServerCertificate): number {
  return Math.max(fromMs, authority?.validFromMs ?? 0);
}
