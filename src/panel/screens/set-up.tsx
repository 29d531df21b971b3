import "../first-start.css";
import { AS_TYPED } from "../as-typed.ts";
import { Form, TextField, formText } from "../field.tsx";
import { t } from "../i18n.ts";
import { NewPassword, newPasswordIn } from "../password.tsx";
import { go } from "../route.ts";
import { ofOneUser, setUp, sessionState } from "../session.ts";
import { FirstAddress } from "./first-address.tsx";
import { ErrorMessage, useErrorMessage } from "../error-message.tsx";

/** The code of the QR code at the first start, which is after `#` so that no server and no log receives it. */
const codeFromAddress = takeCodeFromAddress();

/** First screen of a new installation: the one-time code claims the administrator account. */
export function SetUp() {
  const [error, run] = useErrorMessage();
  const claim = async (fields: FormData): Promise<void> => {
    const password = newPasswordIn(fields);
    await setUp(formText(fields, "code"), formText(fields, "email"), password);
    // It has just been entered: the first changes of the set-up need not ask for it again. If this fails, they do.
    void ofOneUser(import("../confirmation.ts"))
      .then(({ confirm }) => confirm(password))
      .catch(() => {});
    go("#/setup");
  };
  return (
    <div class="first-start">
      <section class="narrow card">
        <h1>{t("setup.title")}</h1>
        <p>{t("setup.text")}</p>
        <Form onSubmit={(fields) => run(() => claim(fields))}>
          <TextField
            label={t("setup.code")}
            name="code"
            autocomplete="one-time-code"
            hint={t("setup.codeHint")}
            initial={codeFromAddress}
            maxLength={100}
            {...AS_TYPED}
            required
          />
          <TextField label={t("setup.email")} name="email" type="email" autocomplete="username" required />
          <NewPassword />
          <ErrorMessage text={error} />
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
      <FirstAddress />
    </div>
  );
}

function takeCodeFromAddress(): string {
  const [, code = ""] = /^#code=([\w-]+)$/.exec(location.hash) ?? [];
  // Not into the history of the browser.
  if (code !== "") history.replaceState(history.state, "", location.pathname);
  return code;
}
