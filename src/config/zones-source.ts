import { Document, isMap, isNode, isPair, isScalar, isSeq, YAMLSeq, type Node, type Pair } from "yaml";
import { AppError, messageOf } from "../domain/errors.ts";

/** The lines of one zone in the file. */
interface Block {
  /** Comments and blank lines before it. */
  readonly lead: string;
  readonly body: string;
  /** Comments after its last option that are indented like its options. */
  readonly trail: string;
}

/** The zones of a configuration text, line by line, so that only the lines of changed zones are replaced. */
export class ZonesSource {
  readonly #blocks = new Map<Node, Block>();
  /** The text before and after the list. */
  readonly #head: string;
  readonly #tail: string;
  /** Blanks before each `-`. */
  readonly #indent: string;
  /** The line end of the file. */
  readonly #end: string;

  /** @throws AppError `conflict` if the options are not written line by line */
  constructor(text: string, document: Document) {
    const { contents } = document;
    this.#end = lineEndOf(text);
    if (isMap(contents) && contents.flow === true) throw cannotEdit("all options are in one pair of braces");
    const pair = isMap(contents) ? contents.items.find(isZones) : undefined;
    const value = pair?.value;
    const items = isSeq<Node>(value) && value.flow !== true ? value.items : [];
    const keyStart = pair && isScalar(pair.key) ? (pair.key.range?.[0] ?? 0) : text.length;
    let end = lineEnd(text, keyStart);
    this.#indent = "  ";
    if (pair === undefined) {
      this.#head = text === "" ? text : this.#complete(text);
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
      const start = item.range?.[0] ?? end;
      const valueEnd = lastOf(item).range?.[1] ?? end;
      const bodyStart = Math.max(end, lineStart(text, start));
      const bodyEnd = lineEnd(text, Math.max(start, valueEnd - 1));
      const lead = text.slice(end, bodyStart);
      // Before the zone is changed: its last option may not stay the last one.
      withoutCommentsBelow(item, text);
      end = this.#endOfComments(text, bodyEnd);
      this.#blocks.set(item, { lead, body: text.slice(bodyStart, bodyEnd), trail: text.slice(bodyEnd, end) });
    }
    this.#tail = text.slice(end);
  }

  /** The text with these zones in this order. @param touched zones whose lines are replaced */
  withItems(items: readonly Node[], touched: ReadonlySet<Node>): string {
    const hadLines = this.#blocks.size > 0;
    const head = hadLines ? this.#head : `${this.#head}zones:${this.#end}`;
    if (items.length === 0)
      return `${hadLines ? withoutLastLine(this.#head) : this.#head}zones: []${this.#end}${this.#tail}`;
    const blocks = items.map((item) => {
      const block = this.#blocks.get(item);
      if (!block) return this.#written(item);
      const { lead, body, trail } = block;
      const zone = touched.has(item) ? this.#written(item) : this.#complete(body);
      return `${lead}${zone}${trail === "" ? "" : this.#complete(trail)}`;
    });
    return `${this.#complete(head)}${blocks.join("")}${this.#tail}`;
  }

  /** The offset after the comments below a zone that are indented more than its `-`. */
  #endOfComments(text: string, offset: number): number {
    let end = offset;
    for (let at = offset; at < text.length; at = lineEnd(text, at)) {
      const line = text.slice(at, lineEnd(text, at)).trimEnd();
      const isComment = line.startsWith(`${this.#indent} `) && line.trimStart().startsWith("#");
      if (isComment) end = lineEnd(text, at);
      else if (line !== "") break;
    }
    return end;
  }

  /** The last line of a text may have no end. */
  #complete(text: string): string {
    return text.endsWith("\n") ? text : `${text}${this.#end}`;
  }

  #written(item: Node): string {
    const list = new YAMLSeq<Node>();
    // Comments before it are in the lines that are kept.
    item.commentBefore = null;
    item.spaceBefore = false;
    list.items = [item];
    try {
      const text = new Document(list).toString({ lineWidth: 0 });
      return text.replaceAll(/^(?=.)/gm, this.#indent).replaceAll(/\r?\n/g, this.#end);
    } catch (cause) {
      throw cannotEdit(messageOf(cause), cause);
    }
  }
}

/** The line end that a text uses. */
export function lineEndOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? "\n";
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

/**
 * Removes the comments on the lines after a zone from its nodes. The library adds them to the innermost list or section at its end,
 * those of the next zone too; after braces and brackets they follow the comment on the same line.
 */
function withoutCommentsBelow(item: Node, text: string): void {
  const inner = innerLast(item);
  if (inner !== item) {
    item.comment = null;
    return withoutCommentsBelow(inner, text);
  }
  const end = item.range?.[1] ?? text.length;
  const isOnSameLine = text.slice(end, lineEnd(text, end)).includes("#");
  item.comment = isOnSameLine ? (item.comment?.split("\n")[0] ?? null) : null;
}

/** The last text, number, braces or brackets in a node: the range of a list or section includes the comments after it. */
function lastOf(node: Node): Node {
  const inner = innerLast(node);
  return inner === node ? node : lastOf(inner);
}

/** The last entry of a list or section that is written line by line; any other node itself. */
function innerLast(node: Node): Node {
  if (!(isMap(node) || isSeq(node)) || node.flow === true) return node;
  const last: unknown = node.items.at(-1);
  if (!isPair(last)) return isNode(last) ? last : node;
  return isNode(last.value) ? last.value : node;
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
