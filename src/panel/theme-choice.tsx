import { t } from "./i18n.ts";
import { chooseTheme, theme, THEMES } from "./theme.ts";

/** A button for each theme; the current one is pressed. */
export function ThemeChoice() {
  return (
    <div role="group" aria-label={t("app.theme")} class="chips">
      {THEMES.map((one) => (
        <button type="button" key={one} aria-pressed={theme.value === one} onClick={() => chooseTheme(one)}>
          {t(`theme.${one}`)}
        </button>
      ))}
    </div>
  );
}
