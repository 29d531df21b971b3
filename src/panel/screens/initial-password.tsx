import { request } from "../api.ts";
import { Dialog } from "../dialog.tsx";
import { ErrorMessage } from "../error-message.tsx";
import { Form, formText } from "../field.tsx";
import { FormActions } from "../form-actions.tsx";
import { t } from "../i18n.ts";
import { showNotice } from "../notice.tsx";
import { Password, usePasswordForm } from "../password.tsx";

/** A change needs the password of the administrator, as a stolen session does not have it. */
export function OwnPassword({ problem }: { readonly problem: string }) {
  return (
    <Password name="currentPassword" label={t("accounts.ownPassword")} isNew={false} problem={problem} />
  );
}

/** The account whose user has lost the password gets one that only allows setting another. */
export function InitialPassword({ email, close }: { readonly email: string; readonly close: () => void }) {
  const [problem, run, wrong] = usePasswordForm();
  const set = async (fields: FormData): Promise<void> => {
    const body = {
      password: formText(fields, "password"),
      currentPassword: formText(fields, "currentPassword"),
    };
    await request(`/site/accounts/${encodeURIComponent(email)}`, { method: "PUT", body });
    close();
    showNotice(t("accounts.passwordSet", { email }));
  };
  return (
    <Dialog title={`${t("accounts.newPassword")}: ${email}`} onCancel={close}>
      <p>{t("accounts.addText")}</p>
      <Form onSubmit={(fields) => run(() => set(fields))}>
        <Password name="password" label={t("accounts.password")} isNew hint={t("password.rule")} />
        <OwnPassword problem={wrong} />
        <ErrorMessage text={problem} />
        <FormActions action={t("accounts.newPassword")} close={close} />
      </Form>
    </Dialog>
  );
}
