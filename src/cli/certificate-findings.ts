import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import { certificateFromFiles, ownCertificateIfThere, type ServerCertificate } from "../ops/certificates.ts";
import type { CheckResult } from "./check-result.ts";

/**
 * Whether clients can accept the certificate of the local API now. Nothing where there is none.
 * @param nowMs milliseconds since 1970
 */
export function certificateFindings({ dataDir, http }: Config, nowMs: number): CheckResult[] {
  const check = "Certificate";
  const { tls } = http;
  if (tls.mode === "off") return [];
  let certificate: ServerCertificate | undefined;
  try {
    certificate =
      tls.mode === "files" ? certificateFromFiles(tls.certFile, tls.keyFile) : ownCertificateIfThere(dataDir);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return [{ check, status: "fault", text: error.message, remedy: error.hint }];
  }
  if (!certificate) return [];
  const { validFromMs, validUntilMs, authority } = certificate;
  const fromMs = Math.max(validFromMs, authority?.validFromMs ?? 0);
  const until = new Date(validUntilMs).toISOString();
  if (fromMs > nowMs)
    return [
      {
        check,
        status: "fault",
        text: `valid from ${new Date(fromMs).toISOString()} only, so it was made while the clock was wrong`,
        remedy:
          tls.mode === "own"
            ? "Set the clock (timedatectl timesync-status); a running daemon then makes it again, and so does santinela cert."
            : "Set the clock or renew the files of http.tls.",
      },
    ];
  if (validUntilMs <= nowMs)
    return [
      {
        check,
        status: "fault",
        text: `was valid until ${until}`,
        remedy: tls.mode === "own" ? "santinela cert" : "Renew the files of http.tls.",
      },
    ];
  return [{ check, status: "well", text: `valid until ${until}` }];
}
