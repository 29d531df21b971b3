import type { ConfigurationErrorView } from "../site/configuration-view.ts";
import { DaemonText } from "./daemon-text.tsx";
import { t } from "./i18n.ts";

/** Every error with its file, line and column, as a check on the device would print it. */
export function ConfigurationErrors({ errors }: { readonly errors: readonly ConfigurationErrorView[] }) {
  return (
    <div role="alert" class={errors.length === 0 ? "" : "box s-fault"}>
      {errors.length > 0 && (
        <>
          <h2>{t("zoneForm.errors", { n: errors.length })}</h2>
          <ul class="conditions stack tight">
            {errors.map(({ place, message }) => (
              <li key={`${place} ${message}`}>
                <code>{place}</code>
                <div>
                  <DaemonText text={message} />
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}
