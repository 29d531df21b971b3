import { t } from "../i18n.ts";

/** The panel no longer looks for sensors: what is opened now is not seen. */
export function SearchOver({ again }: { readonly again: () => void }) {
  return (
    <div class="row" role="status">
      <span class="grow">{t("found.over")}</span>
      <button type="button" onClick={again}>
        {t("found.again")}
      </button>
    </div>
  );
}
