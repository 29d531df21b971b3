import { Form, TextField, formText } from "../field.tsx";
import { t } from "../i18n.ts";
import { Password, usePasswordForm } from "../password.tsx";
import { signIn } from "../session.ts";
import { ErrorMessage } from "../error-message.tsx";

/** The sign-in form. */
export function SignIn() {
  const [error, run, problem] = usePasswordForm();
  return (
    <section class="narrow card">
      <h1>{t("signIn.title")}</h1>
      <Form onSubmit={(fields) => run(() => signIn(formText(fields, "email"), formText(fields, "password")))}>
        <TextField
          label={t("signIn.email")}
          name="email"
          type="email"
          autocomplete="username"
          autofocus
          required
        />
        <Password name="password" label={t("signIn.password")} isNew={false} problem={problem} />
        <ErrorMessage text={error} />
        <button class="main">{t("signIn.do")}</button>
      </Form>
      <p class="quiet">
        {t("signIn.lost")} <code>santinela user passwd</code>
      </p>
    </section>
  );
}
