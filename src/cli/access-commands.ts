import type { Command } from "commander";
import { load, withConfig, type ConfigOption } from "./config-option.ts";
import type { Terminal } from "./terminal.ts";

/** `user`, `keys`, `cert` and `factory-reset`: accounts, signing keys and the server certificate. */
export function addAccessCommands(root: Command, terminal: Terminal): void {
  addUserCommands(root, terminal);
  addKeyCommands(root, terminal);
  withConfig(
    root
      .command("factory-reset")
      .description("remove all records, accounts, keys and certificates; the daemon must be stopped"),
  )
    .option("--yes", "do not ask for confirmation")
    .action(async ({ config, yes }: ConfigOption & { yes?: boolean }) => {
      const { factoryReset } = await import("./factory-reset.ts");
      await factoryReset(await load(terminal, config), { yes: yes === true }, terminal);
    });
  withConfig(root.command("cert").description("show the local API's certificate; create it if missing"))
    .option("--renew", "issue a new certificate with the same certificate authority")
    .option("--ca", "print the certificate of the authority, to install on phones and computers")
    .option("--json", "print JSON")
    .action(
      async ({
        config,
        renew,
        ca,
        json,
      }: ConfigOption & Record<"renew" | "ca" | "json", true | undefined>) => {
        const { cert } = await import("./cert.ts");
        const wanted = { renew: renew === true, ca: ca === true, json: json === true };
        await cert(await load(terminal, config), wanted, terminal);
      },
    );
}

function addUserCommands(root: Command, terminal: Terminal): void {
  const user = root.command("user").description("accounts of users and clients");
  const named = (name: string, description: string): Command =>
    withConfig(user.command(name).description(description)).requiredOption(
      "--email <address>",
      "the account's address",
    );

  named("add", "add an account")
    .requiredOption("--role <role>", "administrator, operator or viewer")
    .option("--password-stdin", "read the password from standard input")
    .action(
      async ({
        config,
        ...options
      }: ConfigOption & { email: string; role: string; passwordStdin?: boolean }) => {
        const { userAdd } = await import("./user.ts");
        await userAdd(await load(terminal, config), options, terminal);
      },
    );
  withConfig(user.command("list").description("list the accounts"))
    .option("--json", "print JSON")
    .action(async ({ config, json }: ConfigOption & { json?: boolean }) => {
      const { userList } = await import("./user.ts");
      await userList(await load(terminal, config), { json: json === true }, terminal);
    });
  named("passwd", "set a new password; existing sessions are ended")
    .option("--password-stdin", "read the password from standard input")
    .action(async ({ config, ...options }: ConfigOption & { email: string; passwordStdin?: boolean }) => {
      const { userPassword } = await import("./user.ts");
      await userPassword(await load(terminal, config), options, terminal);
    });
  named("role", "change the role of an account; existing sessions are ended")
    .requiredOption("--role <role>", "administrator, operator or viewer")
    .action(async ({ config, ...options }: ConfigOption & { email: string; role: string }) => {
      const { userRole } = await import("./user.ts");
      await userRole(await load(terminal, config), options, terminal);
    });
  named("objectives", "limit the objectives that an account sees; existing sessions are ended")
    .option("--only <objectives...>", "only these, each as type/id")
    .option("--all", "all objectives")
    .action(
      async ({ config, ...options }: ConfigOption & { email: string; only?: string[]; all?: boolean }) => {
        const { userObjectives } = await import("./user.ts");
        await userObjectives(await load(terminal, config), options, terminal);
      },
    );
  named("disable", "disable an account immediately")
    .option("--undo", "enable it again")
    .action(async ({ config, email, undo }: ConfigOption & { email: string; undo?: boolean }) => {
      const { userDisable } = await import("./user.ts");
      await userDisable(await load(terminal, config), { email, disabled: undo !== true }, terminal);
    });
}

function addKeyCommands(root: Command, terminal: Terminal): void {
  const keys = root.command("keys").description("the key that tokens are signed with");
  withConfig(
    keys
      .command("rotate")
      .description("create a new key; tokens of the previous key stay valid until it is revoked"),
  ).action(async ({ config }: ConfigOption) => {
    const { rotateKey } = await import("./keys.ts");
    rotateKey(await load(terminal, config), terminal);
  });
  withConfig(keys.command("revoke-previous").description("revoke the previous key and its tokens")).action(
    async ({ config }: ConfigOption) => {
      const { revokeKey } = await import("./keys.ts");
      revokeKey(await load(terminal, config), terminal);
    },
  );
}
