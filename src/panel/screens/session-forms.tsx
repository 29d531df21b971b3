import { Dialog } from "../dialog.tsx";
import { ErrorMessage } from "../error-message.tsx";
import { Form, formText } from "../field.tsx";
import { t } from "../i18n.ts";
import { NewPassword, newPasswordIn, Password, usePasswordForm } from "../password.tsx";
import { leaveBy } from "../route.ts";
import { account, changePassword, signIn, signOut } from "../session.ts";

/** Replaces an initial password before anything else is shown. */
export function InitialPasswordForm() {
  const [error, run, problem] = usePasswordForm();
  const set = async (fields: FormData): Promise<void> => {
    await changePassword(formText(fields, "current"), newPasswordIn(fields));
  };
  return (
    <section class="narrow card">
      <h1>{t("password.title")}</h1>
      <p>{t("password.text")}</p>
      <Form onSubmit={(fields) => run(() => set(fields))}>
        <Password name="current" label={t("password.current")} isNew={false} problem={problem} />
        <NewPassword />
        <ErrorMessage text={error} />
        <button class="main">{t("password.do")}</button>
        <button type="button" onClick={signOut}>
          {t("app.signOut")}
        </button>
      </Form>
    </section>
  );
}

/** Asks for the password over the page when the token has expired. */
export function ExpiredDialog() {
  const [error, run, problem] = usePasswordForm();
  const email = account.value?.email ?? "";
  return (
    <Dialog title={t("signIn.expired")} onCancel={undefined}>
      <p>{t("signIn.expiredText")}</p>
      <p>{t("signIn.expiredAs", { email })}</p>
      <Form onSubmit={(fields) => run(() => signIn(email, formText(fields, "password")))}>
        <Password name="password" label={t("signIn.password")} isNew={false} problem={problem} />
        <ErrorMessage text={error} />
        <button class="main">{t("signIn.do")}</button>
        <button type="button" onClick={() => leaveBy(signOut)}>
          {t("signIn.otherAccount")}
        </button>
      </Form>
    </Dialog>
  );
}
