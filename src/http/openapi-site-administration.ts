import {
  type Json,
  listOf,
  objectOf,
  operation,
  query,
  schema,
  type Operation,
  TEXT,
  jsonResponse,
} from "./openapi-parts.ts";

const EMPTY: Json = { type: "object" };
const PEOPLE = listOf("PersonView");

/** Operations for administrators, the own account, and the set-up. */
export const SITE_ADMINISTRATION: readonly Operation[] = [
  operation("GET /site/discovered", "administrator", "discoverZones", {
    summary: "Devices at the broker with the zones that they could be, unknown topics, GPIO lines",
    answer: schema("DiscoveryView"),
  }),
  operation("POST /site/discovered/trial", "administrator", "tryOutSensor", {
    summary: "What an input of a zone that does not exist yet has read since the first call; nothing trips",
    body: objectOf({ input: { type: "object", description: "As in the configuration" } }),
    answer: schema("SensorTrialView"),
    errors: [409, 429, 503],
  }),
  operation("GET /site/account", "viewer", "getOwnAccount", {
    summary: "The account of the token",
    answer: schema("AccountView"),
  }),
  operation("POST /site/password", "viewer", "changeOwnPassword", {
    summary: "Set the account's own password and end all its tokens",
    body: objectOf({ currentPassword: TEXT, password: TEXT }),
    answer: schema("AccessToken"),
    errors: [409, 429, 503],
  }),
  operation("GET /site/accounts", "administrator", "listAccounts", {
    summary: "Accounts with role, and whether they are disabled; without those of sites",
    answer: PEOPLE,
  }),
  operation("POST /site/accounts", "administrator", "addAccount", {
    summary: "Add an account, with your own password; its user sets a new one at the first sign-in",
    body: objectOf({ email: TEXT, role: TEXT, password: TEXT, currentPassword: TEXT }),
    answer: PEOPLE,
    success: [201, "Added"],
    errors: [409, 429, 503],
  }),
  operation("PUT /site/accounts/{email}", "administrator", "changeAccount", {
    summary:
      "Set role, disabled or an initial password, with your own password, and end the tokens of the account",
    body: objectOf({ role: TEXT, disabled: { type: "boolean" }, password: TEXT, currentPassword: TEXT }, [
      "currentPassword",
    ]),
    answer: PEOPLE,
    errors: [404, 409, 429, 503],
  }),
  operation("GET /site/backup", "administrator", "downloadBackup", {
    summary: "A checked backup of the database",
    answer: "application/octet-stream",
    errors: [409, 503],
  }),
  operation("POST /site/restore/pieces", "administrator", "uploadBackupPiece", {
    summary: "Upload a backup in pieces of at most 1 MB",
    query: [
      query("from", "Offset of the piece in bytes; 0 begins a new upload", { type: "integer", minimum: 0 }),
    ],
    body: { type: "string", format: "binary" },
    bodyType: "application/octet-stream",
    answer: schema("UploadView"),
    errors: [409, 503],
  }),
  operation("POST /site/restore", "administrator", "restoreBackup", {
    summary: "Show what restoring an upload would change (200), or restore it (202)",
    body: objectOf(
      {
        copy: { type: "integer" },
        dryRun: { type: "boolean" },
        otherSite: { type: "boolean", default: false },
        currentPassword: TEXT,
      },
      ["copy"],
    ),
    answer: schema("RestoreView"),
    success: [202, "The daemon restores the backup and starts again"],
    others: { "200": jsonResponse("What it would change", schema("RestoreView")) },
    errors: [409, 422, 429, 503],
  }),
  operation("POST /site/log-level", "administrator", "enableDebugLog", {
    summary: "Enable debug logging for a few minutes",
    body: objectOf({ minutes: { type: "integer", minimum: 1, maximum: 120, default: 30 } }, []),
    answer: objectOf({ until: TEXT }),
  }),
  operation("POST /site/reload", "administrator", "reloadConfiguration", {
    summary: "Apply the configuration file while the daemon runs",
    answer: schema("ReloadView"),
    errors: [409, 422, 503],
  }),
  operation("POST /site/restart", "administrator", "restartDaemon", {
    summary: "Restart the daemon with the current configuration file",
    answer: EMPTY,
    success: [202, "It restarts"],
  }),
  operation("POST /site/machine/confirm", "administrator", "confirmMachine", {
    summary: "Confirm that this machine replaces the one on which the data was created",
    answer: EMPTY,
    errors: [409],
  }),
  operation("GET /site/ca.crt", "none", "downloadAuthority", {
    summary: "The certificate authority of this installation",
    answer: "application/x-x509-ca-cert",
    errors: [404],
  }),
  operation("GET /site/setup", "none", "getSetUpState", {
    summary: "Whether the initial administrator is unclaimed",
    answer: objectOf({ isOpen: { type: "boolean" } }),
    errors: [400, 503],
  }),
  operation("POST /site/setup", "none", "claimInstallation", {
    summary: "Claim the initial administrator with the one-time code; returns a token",
    body: objectOf({ code: TEXT, email: TEXT, password: TEXT }),
    answer: schema("AccessToken"),
    errors: [403, 409, 429, 503],
  }),
  operation("POST /site/setup/draft", "administrator", "draftConfiguration", {
    summary: "Return the next questions and the resulting configuration for the answers so far",
    body: { type: "object", additionalProperties: TEXT },
    answer: schema("DraftView"),
    errors: [409],
  }),
];
