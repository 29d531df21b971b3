import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { messageOf } from "../domain/errors.ts";
import type { Log } from "../domain/log.ts";
import { certificateFromFiles, ownCertificate, type ServerCertificate } from "./certificates.ts";

export interface CertificateKeeperOptions {
  readonly tls:
    | { readonly mode: "off" }
    | { readonly mode: "own" }
    | { readonly mode: "files"; readonly certFile: string; readonly keyFile: string };
  readonly dataDir: string;
  /** Names for the own certificate, beside this machine's. */
  readonly names: readonly string[];
  readonly clock: Clock;
  readonly log: Log;
  readonly conditions: Conditions;
  /** Called with each certificate after the first one. */
  readonly onRenewed: (certificate: ServerCertificate) => void;
}

/** Also what heals a certificate that was made before the clock had been set. */
const CHECK_EVERY_MS = 3_600_000;
/** Renewal has failed for weeks when so little is left. */
const WARN_BEFORE_MS = 14 * 86_400_000;

/** Has a certificate ready for the network side, and renews it without a restart. */
export class CertificateKeeper {
  readonly #options: CertificateKeeperOptions;
  #current: ServerCertificate | undefined;
  #cancel: CancelTimer = () => {};

  constructor(options: CertificateKeeperOptions) {
    this.#options = options;
  }

  /**
   * The certificate; undefined without TLS.
   * @throws AppError when there is none to be had
   */
  async start(): Promise<ServerCertificate | undefined> {
    if (this.#options.tls.mode === "off") return undefined;
    this.#current = await this.#load();
    this.#tell(this.#current);
    this.#wait();
    return this.#current;
  }

  stop(): void {
    this.#cancel();
  }

  /** PEM of this installation's own authority; undefined where a certificate comes from elsewhere. */
  get authority(): string | undefined {
    return this.#current?.authority?.pem;
  }

  #load(): ServerCertificate | Promise<ServerCertificate> {
    const { tls, dataDir, names, clock } = this.#options;
    return tls.mode === "files"
      ? certificateFromFiles(tls.certFile, tls.keyFile)
      : ownCertificate(dataDir, { names, nowMs: clock.wallMs() });
  }

  #wait(): void {
    this.#cancel = this.#options.clock.after(CHECK_EVERY_MS, () => {
      void this.#check().finally(() => this.#wait());
    });
  }

  async #check(): Promise<void> {
    const { conditions, onRenewed } = this.#options;
    try {
      const certificate = await this.#load();
      if (certificate.cert === this.#current?.cert) return this.#warn(certificate);
      onRenewed(certificate);
      this.#current = certificate;
      this.#tell(certificate);
    } catch (error) {
      conditions.raise("certificate-not-renewed", `${messageOf(error)}; the one until now stays in use`);
    }
  }

  #tell(certificate: ServerCertificate): void {
    this.#options.log.info("certificate-in-use", {
      names: certificate.names,
      validUntil: new Date(certificate.validUntilMs).toISOString(),
      authorityFingerprint: certificate.authority?.fingerprint,
    });
    this.#warn(certificate);
  }

  #warn({ validUntilMs }: ServerCertificate): void {
    const { clock, conditions } = this.#options;
    if (validUntilMs - clock.wallMs() > WARN_BEFORE_MS) conditions.clear("certificate-not-renewed");
    else conditions.raise("certificate-not-renewed", { until: new Date(validUntilMs).toISOString() });
  }
}
