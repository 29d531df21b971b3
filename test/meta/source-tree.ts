import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";

/** A source file for the rules: its path below src/, its text, and its imports. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Import[];
}

export interface Import {
  /** The package, or the path below src/. */
  readonly target: string;
  /** Whether it is a type-only import. */
  readonly isTypeOnly: boolean;
}

/** All TypeScript files below a directory, without generated ones. */
export function readSourceTree(root: string): SourceFile[] {
  return readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path) && !path.startsWith("generated/"))
    .map((path) => sourceFile(path, readFileSync(join(root, path), "utf8")));
}

export function sourceFile(path: string, text: string): SourceFile {
  return { path, text, imports: importsOf(path, text) };
}

/** Text without comments and strings, so that prose about a banned call does not match. */
export function codeOf(text: string): string {
  return text
    .replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, " "))
    .replaceAll(/(?<![:"'`\\])\/\/[^\n]*/g, "")
    .replaceAll(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, '""');
}

function importsOf(path: string, text: string): Import[] {
  const found = text.matchAll(
    /(?:(\b(?:import|export)\s+type\s+\{[^}]*\}\s+)?\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)"([^"]+)"/g,
  );
  return [...found].map(([, types, target = ""]) => ({
    target: target.startsWith(".") ? relative(".", normalize(join(dirname(path), target))) : target,
    isTypeOnly: types !== undefined,
  }));
}
