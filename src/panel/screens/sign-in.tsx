import { Dialog } from "../dialog.tsx";
import { Form, TextField, textOf } from "../field.tsx";
import { say } from "../language.ts";
import { NewPassword, newPasswordIn, Password } from "../password.tsx";
import { account, changePassword, signIn, signOut } from "../session.ts";
import { Trouble, useTrouble } from "../trouble.tsx";

/** The first screen of everybody. */
export function SignIn() {
  const [trouble, run] = useTrouble();
  return (
    <section class="narrow">
      <h1>{say("signIn.title")}</h1>
      <Form onSubmit={(fields) => run(() => signIn(textOf(fields, "email"), textOf(fields, "password")))}>
        <TextField label={say("signIn.email")} name="email" type="email" autocomplete="username" required />
        <Password name="password" label={say("signIn.password")} isNew={false} />
        <Trouble text={trouble} />
        <button class="main">{say("signIn.do")}</button>
      </Form>
    </section>
  );
}

/** Between the given password and everything else: a password of one's own. */
export function FirstPassword() {
  const [trouble, run] = useTrouble();
  const set = async (fields: FormData): Promise<void> => {
    await changePassword(textOf(fields, "current"), newPasswordIn(fields));
  };
  return (
    <section class="narrow">
      <h1>{say("password.title")}</h1>
      <p>{say("password.text")}</p>
      <Form onSubmit={(fields) => run(() => set(fields))}>
        <Password name="current" label={say("password.current")} isNew={false} />
        <NewPassword />
        <Trouble text={trouble} />
        <button class="main">{say("password.do")}</button>
        <button type="button" onClick={signOut}>
          {say("app.signOut")}
        </button>
      </Form>
    </section>
  );
}

/** Over the page when the token's hour is over; nothing behind it is lost. */
export function ExpiredDialog() {
  const [trouble, run] = useTrouble();
  const email = account.value?.email ?? "";
  return (
    <Dialog title={say("signIn.expired")} onCancel={undefined}>
      <p>{say("signIn.expiredText")}</p>
      <p>{say("signIn.expiredAs", { email })}</p>
      <Form onSubmit={(fields) => run(() => signIn(email, textOf(fields, "password")))}>
        <Password name="password" label={say("signIn.password")} isNew={false} />
        <Trouble text={trouble} />
        <button class="main">{say("signIn.do")}</button>
        <button type="button" onClick={signOut}>
          {say("signIn.other")}
        </button>
      </Form>
    </Dialog>
  );
}
