import { Form, TextField, textOf } from "../field.tsx";
import { t } from "../i18n.ts";
import { NewPassword, newPasswordIn } from "../password.tsx";
import { go } from "../route.ts";
import { setUp, sessionState } from "../session.ts";
import { ErrorMessage, useErrorMessage } from "../error-message.tsx";

/** The first screen of a new installation: whoever has the code makes its administrator their own. */
export function SetUp() {
  const [trouble, run] = useErrorMessage();
  const claim = async (fields: FormData): Promise<void> => {
    await setUp(textOf(fields, "code"), textOf(fields, "email"), newPasswordIn(fields));
    go("#/setup");
  };
  return (
    <section class="narrow">
      <h1>{t("setup.title")}</h1>
      <p>{t("setup.text")}</p>
      <Form onSubmit={(fields) => run(() => claim(fields))}>
        <TextField
          label={t("setup.code")}
          name="code"
          autocomplete="one-time-code"
          hint={t("setup.codeHint")}
          maxLength={100}
          required
        />
        <TextField label={t("setup.email")} name="email" type="email" autocomplete="username" required />
        <NewPassword />
        <ErrorMessage text={trouble} />
        <button class="main">{t("setup.do")}</button>
        <button
          type="button"
          onClick={() => {
            sessionState.value = "out";
          }}
        >
          {t("setup.signIn")}
        </button>
      </Form>
    </section>
  );
}
