import { Act } from "./act.tsx";
import { t } from "./i18n.ts";

/** The end of a form in a dialog. @param action repeats its verb @param close leaves without it */
export function FormActions({ action, close }: { readonly action: string; readonly close: () => void }) {
  return (
    <div class="row">
      <Act type="submit" class="main">
        {action}
      </Act>
      <button type="button" onClick={close}>
        {t("app.cancel")}
      </button>
    </div>
  );
}
