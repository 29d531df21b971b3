import type { CommandGroup } from "./command-group.ts";

const EMAIL = ["--email <address>", "the account's address"] as const;
const ROLE = ["--role <role>", "administrator, operator or viewer"] as const;
const PASSWORD = ["--password-stdin", "read the password from standard input"] as const;

/** `user`, `keys`, `address`, `cert` and `factory-reset`: accounts, signing keys, the panel's address and certificate. */
export function addAccessCommands(root: CommandGroup): void {
  addUserCommands(root.group("user", "accounts of users and clients"));
  const keys = root.group("keys", "the key that tokens are signed with");
  const installationKeys = () => import("./installation-keys.ts");
  keys.add(
    "rotate",
    "create a new key; tokens of the previous key stay valid until it is revoked",
    async () => (await installationKeys()).rotateKey,
  );
  keys.add(
    "revoke-previous",
    "revoke the previous key and its tokens",
    async () => (await installationKeys()).revokeKey,
  );
  root
    .addWithoutPasswords(
      "address",
      "show where other devices open the web panel, with a QR code",
      async () => (await import("./address.ts")).showAddress,
    )
    .option("--set-up", "include the one-time set-up code, while it is unused; only on a Raspberry Pi")
    .option("--dark-text", "draw the QR code for dark text on a light background")
    .option("--json", "print JSON");
  root
    .add(
      "factory-reset",
      "remove all records, accounts, keys and certificates; the daemon must be stopped",
      async () => (await import("./factory-reset.ts")).factoryReset,
    )
    .option("--yes", "do not ask for confirmation");
  root
    .add(
      "cert",
      "show the local API's certificate; create it if missing",
      async () => (await installationKeys()).cert,
    )
    .option("--renew", "issue a new certificate with the same certificate authority")
    .option("--new-authority", "replace the certificate authority too; every device must install the new one")
    .option("--ca", "print the certificate of the certificate authority, to install on phones and computers")
    .option("--json", "print JSON");
}

function addUserCommands(user: CommandGroup): void {
  const code = () => import("./user.ts");
  user
    .add("add", "add an account", async () => (await code()).userAdd)
    .requiredOption(...EMAIL)
    .requiredOption(...ROLE)
    .option(...PASSWORD);
  user
    .add("list", "list the accounts, without those of sites", async () => (await code()).userList)
    .option("--json", "print JSON");
  user
    .add("passwd", "set a new password; existing sessions are ended", async () => (await code()).userPassword)
    .requiredOption(...EMAIL)
    .option(...PASSWORD);
  user
    .add(
      "role",
      "change the role of an account; existing sessions are ended",
      async () => (await code()).userRole,
    )
    .requiredOption(...EMAIL)
    .requiredOption(...ROLE);
  user
    .add(
      "objectives",
      "limit the objectives that an account sees; existing sessions are ended",
      async () => (await code()).userObjectives,
    )
    .requiredOption(...EMAIL)
    .option("--only <objectives...>", "only these, each as type/id")
    .option("--all", "all objectives");
  user
    .add("disable", "disable an account immediately", async () => (await code()).userDisable)
    .requiredOption(...EMAIL)
    .option("--undo", "enable it again");
}
