import { choose, language, LANGUAGES, t, type Language } from "./i18n.ts";

/** A button for each language; the current one is pressed. */
export function LanguageChoice() {
  return (
    <div role="group" aria-label={t("app.language")}>
      {(Object.keys(LANGUAGES) as Language[]).map((one) => (
        <button
          type="button"
          class="plain"
          key={one}
          lang={one}
          aria-pressed={language.value === one}
          onClick={() => choose(one)}
        >
          {one.toUpperCase()}
        </button>
      ))}
    </div>
  );
}
