/**
 * Finds words and names that `words.json` lists, and prints their replacements. `node tooling/check/words.ts [--count] [folder]` checks
 * this repository, or another folder with the same layout; `--count` prints how often each entry matches.
 */
import { readFileSync } from "node:fs"
import { basename, join } from "node:path"
import { isSource } from "./Syntax.ts"
import { tokens } from "./Tokens.ts"
import { files, report, root } from "./Workspace.ts"

/** Where an entry applies. Strings of tests are data, except for the titles. */
export type Scope = "identifiers" | "comments" | "strings" | "titles" | "markdown" | "files"

interface Allowed {
  /** A file, or a folder with everything in it. */
  readonly path: string
  readonly in?: ReadonlyArray<Scope>
  readonly reason: string
}

interface Common {
  /** Replacement. */
  readonly use: string
  /** Default: all scopes. */
  readonly in?: ReadonlyArray<Scope>
  /** Paths to which the entry is limited. */
  readonly under?: ReadonlyArray<string>
  readonly allow?: ReadonlyArray<Allowed>
}

/**
 * Pattern that an entry forbids, as a regular expression. `word`: a word or phrase in any case, also as a part of an identifier. `name`:
 * a whole identifier, string, module name, or word of a code span, case-sensitive. `path`: a folder.
 */
export type Entry = Common &
  ({ readonly word: string; readonly except?: string } | { readonly name: string } | { readonly path: string })

/** The contents of `words.json`. */
export interface WordList {
  readonly exempt: ReadonlyArray<Allowed>
  readonly words: ReadonlyArray<Entry>
}

/** The word list of this repository. */
export const readList = (): WordList => JSON.parse(readFileSync(join(import.meta.dirname, "words.json"), "utf8"))

/** A match of an entry. */
export interface Finding {
  readonly file: string
  readonly line: number
  /** The matched text. */
  readonly found: string
  /** The entry as listed. */
  readonly entry: string
  readonly use: string
}

/** `maxBatchSize` is `max batch size`, and `read_URLOf` is `read url of`. */
export const wordsOf = (identifier: string): string =>
  identifier
    .replace(/(?<lower>[a-z0-9])(?<upper>[A-Z])/g, "$<lower> $<upper>")
    .replace(/(?<upper>[A-Z]+)(?<next>[A-Z][a-z])/g, "$<upper> $<next>")
    .replace(/[_$.-]+/g, " ")
    .trim()
    .toLowerCase()

/** A piece of text in one scope. */
interface Piece {
  readonly scope: Scope
  readonly text: string
  readonly line: number
}

const isTest = (file: string): boolean => /(?:^|\/)test\/|\.test\.[cm]?tsx?$/.test(file)

const scopes = { identifier: "identifiers", comment: "comments", title: "titles", string: "strings" } as const

/** URLs of links are not prose. */
const withoutLinks = (markdown: string): string =>
  markdown.replace(/\]\([^)]*\)|https?:\/\/\S+/g, (match) => match.replace(/[^\n]/g, " "))

const pieces = (file: string, text: string): ReadonlyArray<Piece> => {
  const own: Piece = { scope: "files", text: basename(file).split(".")[0] ?? "", line: 1 }
  if (file.endsWith(".md")) return [own, { scope: "markdown", text: withoutLinks(text), line: 1 }]
  const all = tokens(file, text).map(({ kind, ...token }) => ({ ...token, scope: scopes[kind] }))
  return [own, ...all.filter(({ scope }) => scope !== "strings" || !isTest(file))]
}

const isUnder = (file: string, path: string): boolean => file === path || file.startsWith(`${path}/`)

const permits = (allowed: Allowed, file: string, scope: Scope): boolean =>
  isUnder(file, allowed.path) && allowed.in?.includes(scope) !== false

/** The text and offset of each match in a piece. */
type Match = (piece: Piece) => ReadonlyArray<{ readonly found: string; readonly offset: number }>

const all = (pattern: RegExp, text: string) =>
  [...text.matchAll(pattern)].map((match) => ({ found: match[0], offset: match.index }))

const isNameScope = (scope: Scope): boolean => scope === "identifiers" || scope === "files"

/** Matches a phrase even if it continues on the next line of a comment. */
const phrase = (words: string): RegExp =>
  new RegExp(`(?<!\\w)(?:${words.replaceAll(" ", "\\s+[*/]*\\s*")})(?!\\w)`, "gi")

const matchWord = (word: string, except: string | undefined): Match => {
  const pattern = phrase(word)
  const excepted = except === undefined ? undefined : phrase(except)
  return ({ scope, text }) => {
    const spans = excepted === undefined ? [] : all(excepted, text)
    return all(pattern, isNameScope(scope) ? wordsOf(text) : text).filter(
      ({ offset }) => !spans.some((span) => offset >= span.offset && offset < span.offset + span.found.length),
    )
  }
}

const matchName = (name: string): Match => {
  const whole = new RegExp(`^(?:${name})$`, "g")
  const inCode = new RegExp(`(?<![\\w$.-])(?:${name})(?![\\w$-])`, "g")
  return ({ scope, text }) =>
    scope === "comments" || scope === "markdown" || scope === "titles"
      ? all(/`[^`\n]+`/g, text).flatMap((code) =>
          all(inCode, code.found).map(({ found, offset }) => ({ found, offset: offset + code.offset })),
        )
      : all(whole, text)
}

interface Compiled {
  readonly entry: Entry
  readonly label: string
  readonly match: Match
}

const compile = (entry: Entry): ReadonlyArray<Compiled> => {
  if ("word" in entry) return [{ entry, label: entry.word, match: matchWord(entry.word, entry.except) }]
  return "name" in entry ? [{ entry, label: entry.name, match: matchName(entry.name) }] : []
}

const compiledEntries = new WeakMap<Entry, ReadonlyArray<Compiled>>()

/** Compiles an entry, once. */
const compiledOf = (entry: Entry): ReadonlyArray<Compiled> => {
  const known = compiledEntries.get(entry) ?? compile(entry)
  compiledEntries.set(entry, known)
  return known
}

const unmatchedNames = new WeakMap<WordList, Set<string>>()

/** True if no entry of a list matches a name in any context. Most names occur in many files. */
const isUnmatchedName = (piece: Piece, list: WordList): boolean => {
  if (!isNameScope(piece.scope)) return false
  const unmatched = unmatchedNames.get(list) ?? new Set()
  unmatchedNames.set(list, unmatched)
  if (unmatched.has(piece.text)) return true
  const isMatched = list.words.some((entry) => compiledOf(entry).some(({ match }) => match(piece).length > 0))
  if (!isMatched) unmatched.add(piece.text)
  return !isMatched
}

/** The matches of a list in one file, in the order of the text. Entries with a `path` are left to `findPaths`. */
export const find = (file: string, text: string, list: WordList): ReadonlyArray<Finding> => {
  const compiled = list.words
    .filter(({ under }) => under === undefined || under.some((path) => isUnder(file, path)))
    .flatMap(compiledOf)
  const read = pieces(file, text).filter(({ scope }) => !list.exempt.some((one) => permits(one, file, scope)))
  const findings = read.flatMap((piece) => {
    if (isUnmatchedName(piece, list)) return []
    return compiled.flatMap(({ entry, label, match }) => {
      if (entry.in?.includes(piece.scope) === false) return []
      if (entry.allow?.some((one) => permits(one, file, piece.scope)) === true) return []
      return match(piece).map(({ found, offset }) => {
        const before = piece.text.slice(0, offset).split("\n").length - 1
        const line = piece.line + (isNameScope(piece.scope) ? 0 : before)
        return { file, line, found, entry: label, use: entry.use }
      })
    })
  })
  return findings.toSorted((one, other) => one.line - other.line)
}

/** The folders that entries with a `path` forbid, each once. */
export const findPaths = (paths: ReadonlyArray<string>, list: WordList): ReadonlyArray<Finding> =>
  list.words.flatMap((entry) => {
    if (!("path" in entry)) return []
    const pattern = new RegExp(`^(?:${entry.path})`)
    const folders = new Set(paths.flatMap((path) => pattern.exec(path)?.[0] ?? []))
    return [...folders].map((file) => ({ file, line: 1, found: file, entry: entry.path, use: entry.use }))
  })

/** The matches of a list in all sources and documents of a repository. */
export const findAll = (base: string, list: WordList = readList()): ReadonlyArray<Finding> => {
  const paths = files(base, "").filter((file) => isSource(file) || (file.endsWith(".md") && !/CHANGELOG/.test(file)))
  return [
    ...findPaths(paths, list),
    ...paths.flatMap((file) => find(file, readFileSync(join(base, file), "utf8"), list)),
  ]
}

/** A finding as one line of output. */
export const format = ({ file, line, found, use }: Finding): string =>
  `${file}:${line}: "${found.replace(/\s+[*/]*\s*/g, " ")}": write ${use}`

if (process.argv[1] === import.meta.filename) {
  const options = process.argv.slice(2)
  const findings = findAll(options.find((option) => !option.startsWith("--")) ?? root)
  const counts = new Map<string, number>()
  for (const { entry } of findings) counts.set(entry, (counts.get(entry) ?? 0) + 1)
  const totals = [...counts].toSorted(([, one], [, other]) => other - one)
  const shown = options.includes("--count")
    ? [...totals, ["total", findings.length] as const].map(([entry, count]) => `${String(count).padStart(5)}  ${entry}`)
    : findings.map(format)
  report("words", findings.length === 0 ? [] : shown, "no word of the list is used")
}
