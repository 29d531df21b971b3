import type { ZoneKind } from "../domain/zone.ts";
import { Store } from "./database.ts";

/** A processed message of an alarm panel, identified in a way that a repetition matches. */
export interface AlarmPanelMessage {
  /** In capitals. */
  readonly account: string;
  readonly sequence: string;
  /** Hash of its content, because sequences are reused. */
  readonly hash: string;
  /** The panel's time if it was checked, milliseconds since 1970; otherwise null. */
  readonly sentWallMs: number | null;
  /** The time in an encrypted message, checked or not, milliseconds since 1970; null for a plain one. */
  readonly encryptedWallMs: number | null;
  /** The last block of an encrypted message, which depends on everything before it; null for a plain one, and without a time. */
  readonly lastBlock: string | null;
  /** Wall clock, milliseconds since 1970. */
  readonly atWallMs: number;
}

/** A zone that was created at its first alarm. */
export interface CreatedAlarmPanelZone {
  readonly account: string;
  readonly number: number;
  readonly kind: ZoneKind;
  readonly name: string;
}

/** A trouble or a bypassed zone that an alarm panel has reported and not restored. */
export interface AlarmPanelReport {
  readonly account: string;
  readonly what: "trouble" | "bypass";
  readonly code: string;
  /** Zone or module; -1 if none was sent. */
  readonly number: number;
  /** 0 if none was sent. */
  readonly partition: number;
}

/** What is known of alarm panels: processed messages, created zones, open troubles and bypasses. */
export class AlarmPanelStore extends Store {
  readonly #messages = this.prepare<AlarmPanelMessage & { readonly seq: number }>(
    `SELECT seq, account, sequence, hash, sent_wall AS sentWallMs, encrypted_wall AS encryptedWallMs,
       last_block AS lastBlock, at_wall AS atWallMs
     FROM panel_messages ORDER BY seq`,
  );
  readonly #addMessage = this.prepare(
    `INSERT INTO panel_messages(account, sequence, hash, sent_wall, encrypted_wall, last_block, at_wall)
     VALUES(:account, :sequence, :hash, :sentWallMs, :encryptedWallMs, :lastBlock, :atWallMs)`,
  );
  readonly #changeHash = this.prepare("UPDATE panel_messages SET hash = ? WHERE seq = ?");
  readonly #removeMessage = this.prepare("DELETE FROM panel_messages WHERE seq = ?");
  readonly #zones = this.prepare<CreatedAlarmPanelZone>(
    "SELECT account, number, kind, name FROM panel_zones ORDER BY account, number, kind",
  );
  readonly #addZone = this.prepare(
    "INSERT OR IGNORE INTO panel_zones(account, number, kind, name) VALUES(?, ?, ?, ?)",
  );
  readonly #reports = this.prepare<AlarmPanelReport>(
    "SELECT account, what, code, number, partition FROM panel_reports",
  );
  readonly #addReport = this.prepare(
    "INSERT OR IGNORE INTO panel_reports(account, what, code, number, partition) VALUES(?, ?, ?, ?, ?)",
  );
  readonly #removeReport = this.prepare(
    "DELETE FROM panel_reports WHERE account = ? AND what = ? AND code = ? AND number = ? AND partition = ?",
  );

  /** False if a failing disk has ended the transaction of the caller. */
  get isInTransaction(): boolean {
    return this.database.inTransaction;
  }

  /** The stored messages with their numbers, oldest first. */
  messages(): (AlarmPanelMessage & { readonly seq: number })[] {
    return this.#messages.all();
  }

  /** @returns the number of the message, for `removeMessage` */
  addMessage(message: AlarmPanelMessage): number {
    const row = { ...message, atWallMs: Math.round(message.atWallMs) };
    return Number(this.#addMessage.run(row).lastInsertRowid);
  }

  changeHash(seq: number, hash: string): void {
    this.#changeHash.run(hash, seq);
  }

  removeMessage(seq: number): void {
    this.#removeMessage.run(seq);
  }

  zones(): CreatedAlarmPanelZone[] {
    return this.#zones.all();
  }

  addZone({ account, number, kind, name }: CreatedAlarmPanelZone): void {
    this.#addZone.run(account, number, kind, name);
  }

  reports(): AlarmPanelReport[] {
    return this.#reports.all();
  }

  addReport({ account, what, code, number, partition }: AlarmPanelReport): void {
    this.#addReport.run(account, what, code, number, partition);
  }

  removeReport({ account, what, code, number, partition }: AlarmPanelReport): void {
    this.#removeReport.run(account, what, code, number, partition);
  }
}
