import { choose, language, LANGUAGES, say, type Language } from "./language.ts";

/** The languages that there are; the one that is spoken is pressed. */
export function LanguageChoice() {
  return (
    <div role="group" aria-label={say("app.language")}>
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
