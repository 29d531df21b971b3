import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import { certificateFromFiles, ownCertificateIfThere, type ServerCertificate } from "../ops/certificates.ts";
import type { CheckResult } from "./check-result.ts";

/**
 * Checks whether clients can accept the certificate of the local API now; no result without a certificate.
 * @param nowMs milliseconds since 1970
 */
export function certificateChecks({ dataDir, http }: Config, nowMs: number): CheckResult[] {
  const check = "Certificate";
  const { tls } = http;
  if (tls.mode === "off") return [];
  let certificate: ServerCertificate | undefined;
  try {
    certificate =
      tls.mode === "files" ? certificateFromFiles(tls.certFile, tls.keyFile) : ownCertificateIfThere(dataDir);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [{ check, status: "error", text: error.message, remedy: error.hint }];
  }
  if (!certificate) return [];
  const { validFromMs, validUntilMs, authority } = certificate;
  const fromMs = Math.max(validFromMs, authority?.validFromMs ?? 0);
  const until = new Date(validUntilMs).toISOString();
  if (fromMs > nowMs)
    return [
      {
        check,
        status: "error",
        text: `not valid before ${new Date(fromMs).toISOString()}: it was issued while the clock was wrong`,
        remedy:
          tls.mode === "own"
            ? "Set the clock (timedatectl timesync-status); the running daemon or santinela cert then issues it again."
            : "Set the clock or renew the files of http.tls.",
      },
    ];
  if (validUntilMs <= nowMs)
    return [
      {
        check,
        status: "error",
        text: `expired at ${until}`,
        remedy: tls.mode === "own" ? "santinela cert" : "Renew the files of http.tls.",
      },
    ];
  return [{ check, status: "ok", text: `valid until ${until}` }];
}
