import "../guide.css";
import type { PanelAddressView } from "../../site/administration-view.ts";
import { useQuery } from "../api.ts";
import { t } from "../i18n.ts";
import { SettingsSection } from "./settings-section.tsx";
import { Pending } from "../notice.tsx";

/** Where a phone opens this panel: a QR code, the addresses, and the fingerprint to compare. */
export function PanelAddress() {
  const { response, error, reload } = useQuery<PanelAddressView>("/site/address");
  return (
    <SettingsSection name="phone" title="address.title">
      {response ? <Address view={response.body} /> : <Pending error={error} reload={reload} />}
    </SettingsSection>
  );
}

function Address({ view: { addresses, code, fingerprint } }: { readonly view: PanelAddressView }) {
  if (code === null) return <p>{t("address.none")}</p>;
  return (
    <>
      <p>{t("address.text")}</p>
      <svg
        class="qr"
        viewBox={`0 0 ${code.size} ${code.size}`}
        role="img"
        aria-label={t("address.code", { address: addresses[0] ?? "" })}
        shape-rendering="crispEdges"
      >
        <path d={code.path} />
      </svg>
      <ul>
        {addresses.map((address) => (
          <li key={address}>
            <code>{address}</code>
          </li>
        ))}
      </ul>
      {fingerprint !== null && (
        <p class="quiet">
          {t("address.fingerprint")} <code>{fingerprint}</code>
        </p>
      )}
    </>
  );
}
