interface TrustedTypes {
  readonly createPolicy: (
    name: string,
    rules: { readonly createScriptURL: (url: string) => string },
  ) => { readonly createScriptURL: (url: string) => string };
}

const WORKER = "./offline-worker.js";

/**
 * Registers the service worker that shows a page while the daemon cannot be reached. Browsers allow it only over TLS and
 * on the device itself; elsewhere the panel works without it.
 */
export async function keepOfflinePage(): Promise<void> {
  if (!("serviceWorker" in navigator)) return;
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
  // The content security policy accepts the address of a script only from a policy; this one knows a single address.
  const policy = trustedTypes?.createPolicy("offline-page", { createScriptURL: () => WORKER });
  const address = policy ? policy.createScriptURL(WORKER) : WORKER;
  try {
    await navigator.serviceWorker.register(address);
  } catch {
    // A certificate that the browser does not trust: the panel works, without the offline page.
  }
}
