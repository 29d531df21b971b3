import { chooseLanguage, language, LANGUAGES, t } from "./i18n.ts";
import { runWithErrorNotice } from "./notice.tsx";

/** A button for each language; the current one is pressed. */
export function LanguageChoice() {
  return (
    <div role="group" aria-label={t("app.language")} class="chips">
      {LANGUAGES.map((one) => (
        <button
          type="button"
          key={one}
          lang={one}
          aria-pressed={language.value === one}
          onClick={() => void runWithErrorNotice(() => chooseLanguage(one))}
        >
          {one.toUpperCase()}
        </button>
      ))}
    </div>
  );
}
