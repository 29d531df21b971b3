import { t } from "../i18n.ts";

/** The panel no longer looks: what is opened now is not seen. @param of the search for sensors, or the test of one */
export function SearchOver({
  again,
  of = "found",
}: {
  readonly again: () => void;
  readonly of?: "found" | "trial";
}) {
  return (
    <div class="row" role="status">
      <span class="grow">{t(`${of}.over`)}</span>
      <button type="button" onClick={again}>
        {t(`${of}.again`)}
      </button>
    </div>
  );
}
