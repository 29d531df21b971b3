import type { Request, Router } from "express";
import type { AuthGuards } from "../http/auth-guards.ts";
import { addResource, json } from "../http/resource.ts";
import { ownCertificateIfThere } from "../ops/certificates.ts";
import { panelAddresses } from "../ops/panel-address.ts";
import type { PanelAddressView } from "./administration-view.ts";
import type { SetupParts } from "./setup.ts";

/** GET /site/address: where other devices open the web panel. */
export function addressRoute(router: Router, guards: AuthGuards, { config }: SetupParts): void {
  const address = async (request: Request): Promise<PanelAddressView> => {
    const { http, dataDir } = config;
    if (!http) return { addresses: [], code: null, fingerprint: null };
    // The system chooses the port if the configuration has 0.
    const port = http.port === 0 ? (request.socket.localPort ?? 0) : http.port;
    const addresses = panelAddresses({ host: http.host, port, isEncrypted: http.tls.mode !== "off" });
    const [first] = addresses;
    // Loaded on use: a settings page is opened a few times in the life of an installation.
    const { qrPath } = await import("../ops/qr-code.ts");
    const authority = http.tls.mode === "own" ? ownCertificateIfThere(dataDir)?.authority : undefined;
    return {
      addresses,
      code: first === undefined ? null : qrPath(first),
      fingerprint: authority?.fingerprint ?? null,
    };
  };
  addResource(router, "/site/address", guards.administrator, { get: json(address) });
}
