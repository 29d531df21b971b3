import { useLayoutEffect, useState } from "preact/hooks";
import { Dialog } from "../dialog.tsx";
import { ErrorMessage } from "../error-message.tsx";
import { Form, formText } from "../field.tsx";
import { FormActions } from "../form-actions.tsx";
import { t } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { showNotice } from "../notice.tsx";
import { NewPassword, newPasswordIn, Password, usePasswordForm } from "../password.tsx";
import { frameDialog } from "../route.ts";
import { account, changePassword } from "../session.ts";

/** The item of the user's menu that changes the password of the account. The menu closes once the dialog has the focus. */
export function PasswordChange() {
  return (
    <button
      type="button"
      onClick={() => {
        frameDialog.value = () => <PasswordDialog />;
      }}
    >
      <Icon name="settings" />
      {t("password.change")}
    </button>
  );
}

function PasswordDialog() {
  const [error, run, problem] = usePasswordForm();
  const [email] = useState(account.value?.email);
  const close = (): void => {
    frameDialog.value = undefined;
  };
  // Its user may have signed out when the session ended.
  const user = account.value?.email;
  useLayoutEffect(() => {
    if (user !== email) close();
  }, [user]);
  const change = async (fields: FormData): Promise<void> => {
    await changePassword(formText(fields, "current"), newPasswordIn(fields));
    close();
    showNotice(t("password.changed"));
  };
  return (
    <Dialog title={t("password.change")} onCancel={close}>
      <p>{t("password.changeText")}</p>
      <Form onSubmit={(fields) => run(() => change(fields))}>
        {/* For the browser, which keeps the new password with it. */}
        <input type="email" autocomplete="username" value={email ?? ""} readOnly hidden />
        <Password name="current" label={t("accounts.ownPassword")} isNew={false} problem={problem} />
        <NewPassword />
        <ErrorMessage text={error} />
        <FormActions action={t("password.change")} close={close} />
      </Form>
    </Dialog>
  );
}
