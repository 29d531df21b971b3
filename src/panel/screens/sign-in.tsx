import { useState } from "preact/hooks";
import { Dialog } from "../dialog.tsx";
import { Form, TextField, textOf } from "../field.tsx";
import { say } from "../language.ts";
import { sentenceOf } from "../notice.tsx";
import { account, changePassword, signIn, signOut } from "../session.ts";
import { Refusal } from "../wire.ts";

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
    const password = textOf(fields, "new");
    if (password !== textOf(fields, "again")) throw new Refusal(400, say("password.different"));
    await changePassword(textOf(fields, "current"), password);
  };
  return (
    <section class="narrow">
      <h1>{say("password.title")}</h1>
      <p>{say("password.text")}</p>
      <Form onSubmit={(fields) => run(() => set(fields))}>
        <Password name="current" label={say("password.current")} isNew={false} />
        <Password name="new" label={say("password.new")} isNew hint={say("password.rule")} />
        <Password name="again" label={say("password.again")} isNew />
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

/** A field for a password, one's own or a new one. */
export function Password({
  name,
  label,
  isNew,
  hint,
}: {
  readonly name: string;
  readonly label: string;
  readonly isNew: boolean;
  readonly hint?: string;
}) {
  return (
    <TextField
      label={label}
      name={name}
      type="password"
      autocomplete={isNew ? "new-password" : "current-password"}
      required
      {...(hint === undefined ? {} : { hint })}
    />
  );
}

/** What the daemon has said against the last try. */
export function Trouble({ text }: { readonly text: string }) {
  return (
    <p role="alert" class={text === "" ? "" : "bad box"}>
      {text}
    </p>
  );
}

/** What the daemon says against the last try, and how to try. */
export function useTrouble(): [string, (action: () => Promise<void>) => Promise<void>] {
  const [trouble, setTrouble] = useState("");
  const run = async (action: () => Promise<void>): Promise<void> => {
    setTrouble("");
    try {
      await action();
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      setTrouble(sentenceOf(error));
    }
  };
  return [trouble, run];
}
