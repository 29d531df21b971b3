import { useEffect, useState } from "preact/hooks";
import { send } from "../http.ts";
import { t } from "../i18n.ts";

/**
 * Where a phone opens this panel before there is an account, and the fingerprint to compare; only beside the form, where there is
 * room. Both are known without a sign-in: the address is that of this page, and the certificate authority is public.
 */
export function FirstAddress() {
  const fingerprint = useAuthority();
  const isReachable = !/^(localhost|127\.[\d.]+|\[::1\])$/.test(location.hostname);
  if (!isReachable && fingerprint === undefined) return null;
  return (
    <section class="narrow card first-address">
      <h2>{t("address.title")}</h2>
      {isReachable && <code>{location.origin}/</code>}
      {fingerprint !== undefined && (
        <p class="quiet">
          {t("address.fingerprint")} <code>{fingerprint}</code>
        </p>
      )}
    </section>
  );
}

/** SHA-256 of the certificate authority of this installation; undefined without one, and over HTTP. */
function useAuthority(): string | undefined {
  const [fingerprint, setFingerprint] = useState<string | undefined>(undefined);
  useEffect(() => {
    void readFingerprint()
      .then(setFingerprint)
      .catch(() => {});
  }, []);
  return fingerprint;
}

async function readFingerprint(): Promise<string | undefined> {
  // Browsers compute it in a secure context only.
  if (!isSecureContext || location.protocol !== "https:") return undefined;
  const pem = await (await send("/site/ca.crt", undefined)).text();
  const [, base64 = ""] = /-----BEGIN CERTIFICATE-----([^-]+)-----END/.exec(pem) ?? [];
  const bytes = Uint8Array.from(atob(base64.replace(/\s/g, "")), (character) => character.charCodeAt(0));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0").toUpperCase()).join(":");
}
