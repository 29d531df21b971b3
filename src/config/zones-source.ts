import { Document, isMap, isScalar, isSeq, YAMLSeq, type Node, type Pair } from "yaml";
import { AppError, messageOf } from "../domain/errors.ts";

/** The lines of one zone in the file. */
interface Block {
  /** Comments and blank lines before it. */
  readonly lead: string;
  readonly body: string;
}

/** The zones of a configuration text, line by line, so that only the lines of changed zones are replaced. */
export class ZonesSource {
  readonly #blocks = new Map<Node, Block>();
  /** The text before and after the list. */
  readonly #head: string;
  readonly #tail: string;
  /** Blanks before each `-`. */
  readonly #indent: string;

  /** @throws AppError `conflict` if the options are not written line by line */
  constructor(text: string, document: Document) {
    const { contents } = document;
    if (isMap(contents) && contents.flow === true) throw cannotEdit("all options are in one pair of braces");
    const pair = isMap(contents) ? contents.items.find(isZones) : undefined;
    const value = pair?.value;
    const items = isSeq<Node>(value) && value.flow !== true ? value.items : [];
    const keyStart = pair && isScalar(pair.key) ? (pair.key.range?.[0] ?? 0) : text.length;
    let end = lineEnd(text, keyStart);
    this.#indent = "  ";
    if (pair === undefined) {
      this.#head = text === "" || text.endsWith("\n") ? text : `${text}\n`;
      this.#tail = "";
      return;
    }
    this.#head = text.slice(0, keyStart);
    const [first] = items;
    if (first?.range) {
      this.#indent = /^ */.exec(text.slice(lineStart(text, first.range[0])))?.[0] ?? "";
      this.#head = text.slice(0, end);
    } else if (isSeq(value) && value.range) end = lineEnd(text, value.range[1] - 1);
    for (const item of items) {
      const [start, valueEnd] = item.range ?? [end, end];
      const bodyStart = Math.max(end, lineStart(text, start));
      const bodyEnd = lineEnd(text, Math.max(start, valueEnd - 1));
      this.#blocks.set(item, { lead: text.slice(end, bodyStart), body: text.slice(bodyStart, bodyEnd) });
      end = bodyEnd;
    }
    this.#tail = text.slice(end);
  }

  /** The text with these zones in this order. @param touched zones whose lines are replaced */
  withItems(items: readonly Node[], touched: ReadonlySet<Node>): string {
    const hadLines = this.#blocks.size > 0;
    const head = hadLines ? this.#head : `${this.#head}zones:\n`;
    if (items.length === 0)
      return `${hadLines ? withoutLastLine(this.#head) : this.#head}zones: []\n${this.#tail}`;
    const blocks = items.map((item) => {
      const block = this.#blocks.get(item);
      if (block && !touched.has(item)) return complete(`${block.lead}${block.body}`);
      return `${block?.lead ?? ""}${this.#written(item)}`;
    });
    return `${complete(head)}${blocks.join("")}${this.#tail}`;
  }

  #written(item: Node): string {
    const list = new YAMLSeq<Node>();
    // Comments before it are in the lines that are kept.
    item.commentBefore = null;
    item.spaceBefore = false;
    list.items = [item];
    try {
      const text = new Document(list).toString({ lineWidth: 0 });
      return text.replaceAll(/^(?=.)/gm, this.#indent);
    } catch (cause) {
      throw cannotEdit(messageOf(cause), cause);
    }
  }
}

function isZones({ key }: Pair): boolean {
  return isScalar(key) && key.value === "zones";
}

function lineStart(text: string, offset: number): number {
  return text.lastIndexOf("\n", offset - 1) + 1;
}

/** Offset after the line of an offset. */
function lineEnd(text: string, offset: number): number {
  const end = text.indexOf("\n", offset);
  return end < 0 ? text.length : end + 1;
}

/** The last line of a text may have no end. */
function complete(text: string): string {
  return text.endsWith("\n") ? text : `${text}\n`;
}

function withoutLastLine(text: string): string {
  return text.slice(0, lineStart(text, text.length - 1));
}

/** The error of a file that has a form in which a program should not change it. */
export function cannotEdit(reason: string, cause?: unknown): AppError {
  return new AppError("conflict", `the configuration file cannot be changed here: ${reason}`, {
    hint: "Edit the file on the device, then run santinela reload.",
    cause,
  });
}
