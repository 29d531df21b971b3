import type { Config } from "../config/config.ts";
import type { AlarmPanelAccount } from "../domain/alarm-panel.ts";
import { AppError } from "../domain/errors.ts";
import { messageFrame } from "../dc09/event-message.ts";
import { messageHead } from "../dc09/message.ts";
import { SystemClock } from "../ops/system-clock.ts";
import { exchange } from "../sync/transmitter/message-exchange.ts";
import type { CommandGroup } from "./command-group.ts";
import { wholeNumber } from "./zone-commands.ts";
import type { Terminal } from "./terminal.ts";

interface SendOptions {
  readonly account: string;
  readonly event?: string;
  readonly sia?: string;
  readonly host?: string;
  readonly port?: string;
  readonly udp?: boolean;
  readonly plain?: boolean;
}

/** A panel waits this long for a reply (DC-09, 5.5.2), and gives up after three attempts here. */
const REPLY_WITHIN_MS = 20_000;
const ATTEMPTS = 3;

/** `dc09`. */
export function addDc09Commands(root: CommandGroup): void {
  root
    .group("dc09", "the receiver for alarm panels")
    .add("send", "send a message as an alarm panel does, and print the reply", () => send)
    .requiredOption("--account <account>", "account of the alarm panel, from dc09.accounts")
    .option("--event <event>", "Contact ID event: qualifier and code, partition, zone, such as '1130 01 004'")
    .option("--sia <data>", "SIA event, such as 'Nri1/BA04'; with neither, a supervision message")
    .option("--host <host>", "address of the receiver (default: dc09.host)")
    .option("--port <port>", "port of the receiver (default: dc09.port)")
    .option("--udp", "send over UDP instead of TCP")
    .option("--plain", "send without encryption although the account has a key");
}

/**
 * Sends one message and repeats it until there is a reply.
 * @throws AppError `bad-data` for an unknown account, `unavailable` without a reply or for a rejected message
 */
async function send({ dc09 }: Config, { stdout }: Terminal, options: SendOptions): Promise<void> {
  const panel = dc09?.accounts.find(({ account }) => account === options.account.toUpperCase());
  if (!dc09 || !panel)
    throw new AppError("bad-data", `account ${options.account} is not in dc09.accounts`, {
      hint: "Add it to the configuration, or correct --account.",
    });
  if (options.event !== undefined && options.sia !== undefined)
    throw new AppError("usage", "--event and --sia exclude each other");
  const clock = new SystemClock();
  const { host = addressOf(dc09.host), udp = false } = options;
  const port = wholeNumber("--port", options.port) ?? dc09.port;
  const to = { host, port, transport: udp ? "udp" : "tcp" } as const;
  const { signal } = new AbortController();
  const sequence = sequenceAt(clock.wallMs(), options);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const frame = frameFor(panel, sequence, options, clock.wallMs());
    const result = await exchange(frame, { to, clock, withinMs: REPLY_WITHIN_MS, signal, read: tokenOf });
    if (result.reply === undefined) {
      if (!result.isRefused) continue;
      throw new AppError("unavailable", `cannot connect to ${host}:${port}: ${result.reason}`);
    }
    const token = result.reply;
    stdout.write(`${token} ${sequence}\n`);
    if (token === "ACK") return;
    throw new AppError("unavailable", `the receiver has rejected the message: ${token}`, {
      hint: "santinela status shows the reason as a condition.",
    });
  }
  throw new AppError("unavailable", `no reply from ${host}:${port} after ${ATTEMPTS} attempts`, {
    hint: `Check that the daemon runs, and that dc09.host, dc09.port and dc09.transports are correct.${hintOfAddresses(panel)}`,
  });
}

/** A message from an address that is not in `from` gets no reply, and this machine is rarely in it. */
function hintOfAddresses({ account, from }: AlarmPanelAccount): string {
  if (from.length === 0) return "";
  return ` Account ${account} accepts messages only from ${from.join(", ")}: for the test, add the address of this machine to its from.`;
}

function frameFor(panel: AlarmPanelAccount, sequence: string, options: SendOptions, wallMs: number): Buffer {
  const { account, key } = panel;
  const { event, sia, plain = false } = options;
  const token = event === undefined ? (sia === undefined ? "NULL" : "SIA-DCS") : "ADM-CID";
  const data = event ?? sia ?? "";
  const sender = {
    account,
    receiver: null,
    line: "0",
    key: key === null || plain ? null : Buffer.from(key, "hex"),
  };
  const message = { token, data, sequence: Number(sequence), occurredMs: null } as const;
  return messageFrame(sender, message, wallMs);
}

/** Supervision messages have the sequence 0000. Otherwise a number that differs in each run within hours. */
function sequenceAt(wallMs: number, { event, sia }: SendOptions): string {
  const number = event === undefined && sia === undefined ? 0 : (Math.floor(wallMs / 1000) % 9_999) + 1;
  return String(number).padStart(4, "0");
}

/** The head of a NAK has no account: `R0L0A0`. */
function tokenOf(body: Buffer): string {
  return messageHead(body)?.token ?? /"(NAK)"/.exec(body.toString("latin1"))?.[1] ?? "unreadable reply";
}

/** Where a receiver that listens on all addresses can be reached. */
function addressOf(host: string): string {
  return host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
}
