/**
 * What `house.ts` measures of a repository: sizes, public names, words, citations, and habits of its tests.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { unresolved } from "./citations.ts"
import { lengths } from "./Functions.ts"
import { surface } from "./Surface.ts"
import { calls, child, children, isSource, parse, textOf } from "./Syntax.ts"
import type { Syntax } from "./Syntax.ts"
import { findAll, format } from "./words.ts"
import { files } from "./Workspace.ts"

/** A line of the table. */
export interface Measure {
  /** Name under which `--list` shows the places. */
  readonly key: string
  readonly label: string
  /** What is shown in place of the number of places. */
  readonly value?: string
  readonly places: ReadonlyArray<string>
}

/** Largest number of lines of a function in a source. */
const functionLimit = 100

interface File {
  readonly path: string
  /** The folder of its package, such as `packages/schema`; `tooling/check` and the like count as packages. */
  readonly folder: string
  readonly test: boolean
  readonly lines: number
  readonly syntax: Syntax
}

/** True for tests and what only they import. */
export const isTest = (path: string): boolean => /(?:^|\/)test\/|\.test\.[cm]?tsx?$/.test(path)

const read = (base: string): ReadonlyArray<File> =>
  files(base, "")
    .filter((path) => isSource(path) && /^(?:packages|apps|tooling)\//.test(path))
    .map((path) => {
      const text = readFileSync(join(base, path), "utf8")
      const folder = path.split("/").slice(0, -1).slice(0, 2).join("/")
      const lines = text.split("\n").length - (text.endsWith("\n") ? 1 : 0)
      return { path, folder, test: isTest(path), lines, syntax: parse(path, text) }
    })

interface Sized {
  readonly file: File
  readonly name: string
  readonly line: number
  readonly lines: number
}

const place = ({ file, name, line, lines }: Sized): string => `${lines} ${name} (${file.path}:${line})`

const functionsOf = (all: ReadonlyArray<File>): ReadonlyArray<Sized> =>
  all
    .flatMap((file) => lengths(file.syntax).map((one) => ({ file, ...one })))
    .toSorted((one, other) => other.lines - one.lines)

const functionMeasures = (sources: ReadonlyArray<File>, tests: ReadonlyArray<File>): ReadonlyArray<Measure> => {
  const own = functionsOf(sources)
  const ofTests = functionsOf(tests)
  const over = (all: ReadonlyArray<Sized>, limit: number) => all.filter(({ lines }) => lines > limit).map(place)
  const longest = (label: string, all: ReadonlyArray<Sized>): Measure => {
    const [first] = all
    const value =
      first === undefined ? "" : `${first.lines} ${first.name} (${first.file.path.split("/").at(-1)}:${first.line})`
    return { key: "longest", label, value, places: all.slice(0, 5).map(place) }
  }
  const folders = [...new Set(own.map(({ file }) => file.folder))].toSorted()
  return [
    longest("longest function", own),
    ...folders.map((folder) =>
      longest(
        `  ${folder}`,
        own.filter(({ file }) => file.folder === folder),
      ),
    ),
    { key: "functions-100", label: `functions over ${functionLimit} lines`, places: over(own, functionLimit) },
    { key: "functions-60", label: "functions over 60 lines", places: over(own, 60) },
    {
      key: "test-functions-100",
      label: `functions over ${functionLimit} lines, tests`,
      places: over(ofTests, functionLimit),
    },
  ]
}

const fileMeasures = (sources: ReadonlyArray<File>, tests: ReadonlyArray<File>): ReadonlyArray<Measure> => {
  const over = (all: ReadonlyArray<File>, limit: number) =>
    all
      .filter(({ lines }) => lines > limit)
      .toSorted((one, other) => other.lines - one.lines)
      .map(({ lines, path }) => `${lines} ${path}`)
  return [
    { key: "files-300", label: "files over 300 lines", places: over(sources, 300) },
    { key: "files-500", label: "files over 500 lines", places: over(sources, 500) },
    { key: "test-files-300", label: "files over 300 lines, tests", places: over(tests, 300) },
    { key: "test-files-500", label: "files over 500 lines, tests", places: over(tests, 500) },
  ]
}

const exportMeasures = (base: string): ReadonlyArray<Measure> => {
  const packages = readdirSync(join(base, "packages"), { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const each = packages.map(({ name }) => ({
    key: `exports-${name}`,
    label: `  packages/${name}`,
    places: surface(join(base, "packages", name)).map((one) => `packages/${name}/${one}`),
  }))
  return [{ key: "exports", label: "importable names", places: each.flatMap(({ places }) => places) }, ...each]
}

/** Places of the calls of a function, by its name as it is written. */
const callsOf = (all: ReadonlyArray<File>, isCounted: (callee: string, file: File) => boolean): ReadonlyArray<string> =>
  all.flatMap((file) =>
    calls(file.syntax)
      .filter(({ callee }) => isCounted(callee, file))
      .map(({ callee, line }) => `${file.path}:${line} ${callee}`),
  )

const timers = /^(?:node:)?timers(?:\/promises)?$/

/** The local names of what a source imports from Node's timers. */
const timerNames = ({ program }: Syntax): ReadonlyArray<string> =>
  children(program, "body")
    .filter(
      (node) => node.type === "ImportDeclaration" && timers.test(textOf(child(node, "source") ?? node, "value") ?? ""),
    )
    .flatMap((node) => children(node, "specifiers"))
    .map((specifier) => textOf(child(specifier, "local") ?? specifier, "name") ?? "")

/** Calls in tests that wait: by Effect, by a timer of the platform, or by one that Node's timers give. */
const sleeps = (tests: ReadonlyArray<File>): ReadonlyArray<string> => {
  const imported = new Map(tests.map((file) => [file.path, timerNames(file.syntax)]))
  return callsOf(
    tests,
    (callee, { path }) =>
      /^(?:Effect\.sleep|(?:globalThis\.)?setTimeout)$/.test(callee) ||
      imported.get(path)?.includes(callee.split(".")[0] ?? "") === true,
  )
}

const properties = /^(?:(?:it|test)(?:\.\w+)*\.prop|prop|(?:fc|FastCheck)\.assert)$/

/** Lines of comments that match. */
const commentLines = (all: ReadonlyArray<File>, pattern: RegExp): ReadonlyArray<string> =>
  all.flatMap(({ path, syntax }) =>
    syntax.comments.flatMap((comment) => {
      const first = syntax.lineAt(comment.start)
      return comment.value
        .split("\n")
        .flatMap((line, index) => (pattern.test(line) ? [`${path}:${first + index} ${line.trim()}`] : []))
    }),
  )

/** Measures a repository that is laid out like this one, with the word list of this one. */
export const measure = (base: string): ReadonlyArray<Measure> => {
  const all = read(base)
  const sources = all.filter(({ test }) => !test)
  const tests = all.filter(({ test }) => test)
  return [
    ...functionMeasures(sources, tests),
    ...fileMeasures(sources, tests),
    ...exportMeasures(base),
    { key: "words", label: "words of the list", places: findAll(base).map(format) },
    { key: "citations", label: "unresolved citations", places: unresolved(base) },
    { key: "tags", label: "@since and @category lines", places: commentLines(all, /@(?:since|category)\b/) },
    { key: "properties", label: "property tests", places: callsOf(tests, (callee) => properties.test(callee)) },
    { key: "sleeps", label: "sleeps in tests", places: sleeps(tests) },
    {
      key: "marks",
      label: "@ts- and lint-disable comments",
      places: commentLines(all, /@ts-(?:ignore|expect-error|nocheck)|(?:oxlint|eslint)-disable/),
    },
  ]
}
