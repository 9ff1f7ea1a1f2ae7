/**
 * Finds citations that do not resolve: sections of `docs/interface.md`, decisions, scripts of packages, and relative links of Markdown
 * files.
 * `node tooling/check/citations.ts [folder]` checks this repository, or another folder that is laid out like it.
 */
import { existsSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { isSource, lines, parse } from "./Syntax.ts"
import { files, report, root } from "./Workspace.ts"

/** Reason for which a citation is rejected, and the line on which it starts. */
export interface Issue {
  readonly line: number
  readonly message: string
}

/** The documents that citations refer to. */
export interface Documents {
  /** True if a path, relative to the root of the repository, exists. */
  readonly exists: (path: string) => boolean
  /** The anchors of a Markdown file; undefined if there is no such file. */
  readonly anchors: (path: string) => ReadonlySet<string> | undefined
  /** Numbers of the decision pages, as four digits. */
  readonly decisions: ReadonlySet<string>
  /** Names of the scripts of each package. */
  readonly scripts: ReadonlyMap<string, ReadonlySet<string>>
}

/** Replaces each match by spaces, so that other offsets do not change. */
const blank = (text: string, pattern: RegExp): string => text.replace(pattern, (match) => match.replace(/[^\n]/g, " "))

const fenced = /^(?<fence>`{3,}|~{3,})[\s\S]*?^\k<fence>/gm
const inlineCode = /`[^`\n]*`/g

/** Anchor that a renderer generates for a heading. */
const slug = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/\[(?<label>[^\]]*)\]\([^)]*\)/g, "$<label>")
    .replace(/<[^>]*>/g, "")
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replace(/\s/g, "-")

/** The anchors of a Markdown text: explicit ones, and those of its headings. */
export const anchors = (markdown: string): ReadonlySet<string> => {
  const text = blank(markdown, fenced)
  const collected = new Set<string>()
  for (const match of text.matchAll(/<a\s+(?:id|name)="(?<id>[^"]+)"/g)) collected.add(match.groups?.["id"] ?? "")
  for (const match of text.matchAll(/^#{1,6}[ \t]+(?<heading>.+)$/gm)) {
    const name = slug(match.groups?.["heading"] ?? "")
    let unique = name
    for (let count = 1; collected.has(unique); count++) unique = `${name}-${count}`
    collected.add(unique)
  }
  return collected
}

/** The comments of a source at their offsets, without the asterisks of the margin; all code is blank. */
const commentsOf = (file: string, text: string): string => {
  let result = ""
  for (const comment of parse(file, text).comments) {
    result += blank(text.slice(result.length, comment.start), /./g) + text.slice(comment.start, comment.end)
  }
  return blank(result, /^[ \t]*(?:\/\*+|\*\/|\*|\/\/)/gm)
}

interface Found extends Issue {
  readonly offset: number
}

type Reader = (text: string, documents: Documents) => ReadonlyArray<Omit<Found, "line">>

const documentIssues: Reader = (text, documents) =>
  [...text.matchAll(/\bdocs\/[\w./-]+\.md(?:#[\w-]+(?:\.[\w-]+)*(?:(?:,|\s+and)\s+#[\w-]+(?:\.[\w-]+)*)*)?/g)].flatMap(
    ({ 0: citation, index: offset }) => {
      const [path = "", ...names] = citation.split(/(?:,|\s+and)?\s*#/)
      const known = documents.anchors(path)
      if (known === undefined) return [{ offset, message: `${path} does not exist` }]
      return names
        .filter((name) => !known.has(name))
        .map((name) => ({ offset, message: `${path} has no anchor #${name}` }))
    },
  )

/** `0012, 0016 to 0018` is 0012, 0016, 0017 and 0018. */
const numbersOf = (list: string): ReadonlyArray<string> =>
  [...list.matchAll(/(?<from>\d+)(?:\s+to\s+(?<to>\d+))?/g)].flatMap(({ groups }) => {
    const { from = "", to = from } = groups ?? {}
    if (from.length !== 4 || to.length !== 4 || Number(to) <= Number(from)) return to === from ? [from] : [from, to]
    return Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) =>
      String(Number(from) + index).padStart(4, "0"),
    )
  })

const decisionIssues: Reader = (text, documents) =>
  [...text.matchAll(/\bdecisions?\s+(?<list>\d+(?:(?:,\s+and|,|\s+and|\s+to)\s+\d+)*)/gi)].flatMap(
    ({ groups, index: offset }) =>
      numbersOf(groups?.["list"] ?? "")
        .filter((number) => !documents.decisions.has(number))
        .map((number) => ({
          offset,
          message:
            number.length === 4
              ? `decision ${number} does not exist in docs/decisions`
              : `decision ${number} is obsolete: write the four digits of its page, "decision ${number.padStart(4, "0")}"`,
        })),
  )

const sectionIssues: Reader = (text) =>
  [...text.matchAll(/\binterface\s+(?<section>\d+(?:\.\d+)*)(?![\w.]*\w)/g)].map(({ groups, index: offset }) => {
    const section = groups?.["section"] ?? ""
    return { offset, message: `interface ${section} is obsolete: write "docs/interface.md#${section}"` }
  })

/** A second section number without `#`, which neither a reader nor this check can resolve. */
const bareIssues: Reader = (text) =>
  [...text.matchAll(/\.md#[\w.-]*\w(?:,|\s+and|\s+to)\s+(?<section>\d+(?:\.\d+)+)/g)].map(
    ({ groups, index: offset }) => {
      const section = groups?.["section"] ?? ""
      return { offset, message: `section ${section} is cited without its anchor: write "#${section}"` }
    },
  )

const scriptIssues: Reader = (text, { scripts }) =>
  [...text.matchAll(/\bpnpm\s+--filter\s+(?<name>@[\w/-]+)\s+(?!exec\b)(?<script>[a-z][\w:-]*)/g)].flatMap(
    ({ groups, index: offset }) => {
      const { name = "", script = "" } = groups ?? {}
      return scripts.get(name)?.has(script) === false ? [{ offset, message: `${name} has no script ${script}` }] : []
    },
  )

const link = /\]\(\s*<?(?<target>[^)\s>]+)>?(?:\s+"[^"]*")?\s*\)|^\[[^\]]+\]:\s*(?<reference>\S+)/gm

const linkIssues = (file: string, text: string, documents: Documents): ReadonlyArray<Omit<Found, "line">> =>
  [...text.matchAll(link)].flatMap(({ groups, index: offset }) => {
    const target = groups?.["target"] ?? groups?.["reference"] ?? ""
    if (/^(?:[a-z][a-z0-9+.-]*:|\/\/)/i.test(target)) return []
    const [address = "", anchor] = decodeURI(target).split("#")
    const path = address === "" ? file : posix.join(posix.dirname(file), address)
    if (!documents.exists(path)) return [{ offset, message: `link to ${target}: ${path} does not exist` }]
    const known = anchor === undefined ? undefined : documents.anchors(path)
    if (anchor === undefined || known === undefined || known.has(anchor)) return []
    return [{ offset, message: `link to ${target}: ${path} has no anchor #${anchor}` }]
  })

/** The citations of a file that do not resolve or have an obsolete form, in the order of the text. */
export const issues = (file: string, text: string, documents: Documents): ReadonlyArray<Issue> => {
  const markdown = file.endsWith(".md")
  const prose = markdown ? text : commentsOf(file, text)
  const links = markdown ? blank(blank(text, fenced), inlineCode) : ""
  const plain = markdown ? blank(prose, link) : prose
  const lineAt = lines(text)
  const allIssues = [
    ...[documentIssues, decisionIssues, sectionIssues, bareIssues, scriptIssues].flatMap((read) =>
      read(plain, documents),
    ),
    ...linkIssues(file, links, documents),
  ]
  return allIssues
    .toSorted((one, other) => one.offset - other.offset)
    .map(({ offset, message }) => ({ line: lineAt(offset), message }))
}

interface PackageScripts {
  readonly name?: string
  readonly scripts?: Readonly<Record<string, string>>
}

/** Documents of a repository. */
export const documentsOf = (base: string): Documents => {
  const cache = new Map<string, ReadonlySet<string> | undefined>()
  return {
    exists: (path) => existsSync(join(base, path)),
    anchors: (path) => {
      if (!cache.has(path)) {
        const readable = path.endsWith(".md") && existsSync(join(base, path))
        cache.set(path, readable ? anchors(readFileSync(join(base, path), "utf8")) : undefined)
      }
      return cache.get(path)
    },
    decisions: new Set(files(join(base, "docs/decisions"), ".md").map((file) => file.slice(0, 4))),
    scripts: new Map(
      files(base, "package.json").map((file) => {
        const { name = "", scripts = {} } = JSON.parse(readFileSync(join(base, file), "utf8")) as PackageScripts
        return [name, new Set(Object.keys(scripts))]
      }),
    ),
  }
}

/** Decisions with a number that another one has, as `file: why`. */
export const repeated = (pages: ReadonlyArray<string>): ReadonlyArray<string> =>
  pages.flatMap((page, at) => {
    const first = pages.findIndex((other) => other.slice(0, 4) === page.slice(0, 4))
    return first < at ? [`docs/decisions/${page}: ${pages[first]} has this number`] : []
  })

const isRead = (file: string): boolean =>
  (isSource(file) || (file.endsWith(".md") && !file.endsWith("CHANGELOG.md"))) && !file.endsWith("citations.test.ts")

/** The citations of a repository that do not resolve, as `file:line: why`. */
export const unresolved = (base: string): ReadonlyArray<string> => {
  const documents = documentsOf(base)
  return files(base, "")
    .filter(isRead)
    .flatMap((file) =>
      issues(file, readFileSync(join(base, file), "utf8"), documents).map(
        ({ line, message }) => `${file}:${line}: ${message}`,
      ),
    )
}

if (process.argv[1] === import.meta.filename) {
  const base = process.argv[2] ?? root
  const pages = repeated(files(join(base, "docs/decisions"), ".md"))
  report("citations", [...unresolved(base), ...pages], "each citation, script and relative link resolves")
}
