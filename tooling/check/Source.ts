/**
 * Imports and documented examples of a TypeScript source, read without a compiler.
 */
import { parseSync } from "oxc-parser"

/** One import, export-from, dynamic import or `import("...")` type of a source. */
export interface Import {
  readonly specifier: string
  readonly line: number
  readonly typeOnly: boolean
}

interface Node {
  readonly type: string
  readonly start: number
  readonly importKind?: string
  readonly exportKind?: string
  readonly source?: { readonly value?: unknown } | null
  readonly specifiers?: ReadonlyArray<{ readonly importKind?: string; readonly exportKind?: string }>
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"

const importing = new Set([
  "ImportDeclaration",
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "ImportExpression",
  "TSImportType",
])

const isTypeOnly = (node: Node): boolean => {
  if (node.type === "TSImportType" || node.importKind === "type" || node.exportKind === "type") return true
  const specifiers = node.specifiers ?? []
  return specifiers.length > 0 && specifiers.every((one) => one.importKind === "type" || one.exportKind === "type")
}

/** Line number, from 1, of an offset in a text. */
export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length

const parse = (file: string, text: string) => {
  const parsed = parseSync(file, text)
  const [error] = parsed.errors
  if (error !== undefined) throw new Error(`${file}: ${error.message}`)
  return parsed
}

/** All modules that a source imports, in order. Template strings are not evaluated. */
export const imports = (file: string, text: string): ReadonlyArray<Import> => {
  const collected: Array<Import> = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) return value.forEach(visit)
    if (!isNode(value)) return
    const specifier = value.source?.value
    if (importing.has(value.type) && typeof specifier === "string") {
      collected.push({ specifier, line: lineAt(text, value.start), typeOnly: isTypeOnly(value) })
    }
    Object.values(value).forEach(visit)
  }
  visit(parse(file, text).program)
  return collected
}

/** A block of code in a document or a docstring: its text, first line, and the words after the language. */
export interface Example {
  readonly code: string
  readonly line: number
  readonly words: ReadonlyArray<string>
}

/** Language of a block in a Markdown text. */
type Language = "json" | "sh" | "ts"

const fenceOf = (language: Language): RegExp =>
  new RegExp(`^\`\`\`${language}(?<words>[^\\n\`]*)\\n(?<code>[^]*?)^\`\`\`\\s*$`, "gm")

/** The blocks of a language in a Markdown text. */
export const markdownExamples = (text: string, language: Language = "ts"): ReadonlyArray<Example> =>
  [...text.matchAll(fenceOf(language))].map((match) => ({
    code: match.groups?.["code"] ?? "",
    line: lineAt(text, match.index) + 1,
    words: (match.groups?.["words"] ?? "").trim().split(/\s+/).filter(Boolean),
  }))

/** The `ts` blocks of a source's documentation comments. */
export const docExamples = (file: string, text: string): ReadonlyArray<Example> =>
  parse(file, text)
    .comments.filter((comment) => comment.type === "Block" && comment.value.startsWith("*"))
    .flatMap((comment) => {
      const body = comment.value.replace(/^[ \t]*\*[ ]?/gm, "")
      const first = lineAt(text, comment.start)
      return markdownExamples(body).map((example) => ({ ...example, line: example.line + first - 1 }))
    })
