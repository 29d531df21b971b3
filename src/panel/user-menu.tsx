import { t, withMoreTexts } from "./i18n.ts";
import { Icon } from "./icon.tsx";
import { LanguageChoice } from "./language-choice.tsx";
import { LazyScreen } from "./lazy-screen.tsx";
import { Menu } from "./menu.tsx";
import { leaveBy } from "./route.ts";
import { account, sessionState, signOut } from "./session.ts";
import { ThemeChoice } from "./theme-choice.tsx";

const passwordChange = () =>
  withMoreTexts(import("./screens/password-change.tsx")).then((item) => item.PasswordChange);

/** The menu of the user: language, theme, password, sign-out. */
export function UserMenu() {
  const isInside = sessionState.value === "in" || sessionState.value === "expired";
  return (
    <Menu label={t("app.userMenu")} icon="languages" staysOpen>
      {isInside && <small>{account.value?.email}</small>}
      <LanguageChoice />
      <ThemeChoice />
      {isInside && <LazyScreen load={passwordChange} isPart />}
      {isInside && (
        <button type="button" onClick={() => leaveBy(signOut)}>
          <Icon name="x" />
          {t("app.signOut")}
        </button>
      )}
    </Menu>
  );
}
