/** Measures of `house.ts`: the order of folders, sizes, public names, prose, and practices in tests. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { unresolved } from "./citations.ts"
import * as Folders from "./Folders.ts"
import { lengths } from "./Functions.ts"
import * as Sentences from "./Sentences.ts"
import { spreads } from "./Spreads.ts"
import { surface } from "./Surface.ts"
import { calls, child, children, isSource, parse, textOf } from "./Syntax.ts"
import type { Syntax } from "./Syntax.ts"
import { findAll, format } from "./words.ts"
import { files } from "./Workspace.ts"

/** A row of the table. */
export interface Measure {
  /** Name with which `--list` prints the locations. */
  readonly key: string
  readonly label: string
  /** Printed instead of the number of locations. */
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

/** True for tests and for files that only tests import. */
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

/** Backward imports between folders in the best order, and folders with cyclic imports. */
const folderMeasures = (sources: ReadonlyArray<File>): ReadonlyArray<Measure> => {
  const packages = [...new Set(sources.map(({ path }) => path.split("/").slice(0, 2).join("/")))].toSorted()
  const each = packages.map((name) => {
    const own = sources.filter(({ path }) => path.startsWith(`${name}/src/`))
    const arrows = Folders.arrows(own.map(({ path, syntax }) => ({ path, text: syntax.text })))
    return { name, back: Folders.arrowsBack(arrows), circles: Folders.circles(arrows) }
  })
  const backOf = ({ name, back }: (typeof each)[number]): ReadonlyArray<string> =>
    back.map(({ from, to, places }) => `${name}: ${from} -> ${to} (${places.join(", ")})`)
  return [
    { key: "arrows-back", label: "folders: imports back up, best order", places: each.flatMap(backOf) },
    ...each
      .filter(({ back }) => back.length > 0)
      .map((one) => ({ key: `arrows-back-${one.name}`, label: `  ${one.name}`, places: backOf(one) })),
    {
      key: "folders-circle",
      label: "folders in a circle of imports",
      places: each.flatMap(({ name, circles }) => circles.flat().map((folder) => `${name}/src/${folder}`)),
    },
  ]
}

/** Lines of the service, its tests, the tooling and everything else, including blank lines and comments. */
const lineMeasures = (all: ReadonlyArray<File>): ReadonlyArray<Measure> => {
  const measure = (label: string, isCounted: (file: File) => boolean): Measure => {
    const counted = all.filter(isCounted)
    const total = counted.reduce((sum, { lines }) => sum + lines, 0)
    return { key: "lines", label, value: String(total), places: counted.map(({ lines, path }) => `${lines} ${path}`) }
  }
  const isUnder =
    (folder: string) =>
    ({ path }: File) =>
      path.startsWith(folder)
  const [isService, isTooling] = [isUnder("packages/service/"), isUnder("tooling/")]
  return [
    measure("lines of sources, tests and tooling", () => true),
    measure("  sources of the service", (file) => isService(file) && !file.test),
    measure("  tests of the service", (file) => isService(file) && file.test),
    measure("  sources of other packages", (file) => !isService(file) && !isTooling(file) && !file.test),
    measure("  tests of other packages", (file) => !isService(file) && !isTooling(file) && file.test),
    measure("  tooling, with its tests", isTooling),
  ]
}

const decisionMeasure = (base: string): Measure => ({
  key: "decisions",
  label: "decision pages",
  places: files(join(base, "docs/decisions"), ".md").filter((name) => /^\d/.test(name)),
})

const spreadMeasures = (all: ReadonlyArray<File>): ReadonlyArray<Measure> => {
  const found = all.flatMap((file) => spreads(file.syntax).map((spread) => ({ ...spread, file })))
  const measure = (key: string, label: string, isConditional: boolean): ReadonlyArray<Measure> => {
    const places = (isCounted: (file: File) => boolean) =>
      found
        .filter((one) => one.isConditional === isConditional && isCounted(one.file))
        .map(({ file, line }) => `${file.path}:${line}`)
    return [
      { key, label, places: places(() => true) },
      { key: `${key}-sources`, label: `  ${label}, sources`, places: places(({ test }) => !test) },
      { key: `${key}-tests`, label: `  ${label}, tests`, places: places(({ test }) => test) },
    ]
  }
  return [
    ...measure("spreads", "spreads of object literals", false),
    ...measure("conditional-spreads", "conditional spreads", true),
  ]
}

/** Most words of a sentence. */
const wordLimit = 35

const sentenceMeasures = (base: string, all: ReadonlyArray<File>): ReadonlyArray<Measure> => {
  const long = (path: string, found: ReadonlyArray<Sentences.Sentence>) =>
    found.filter(({ words }) => words > wordLimit).map(({ line, text, words }) => `${path}:${line} ${words} ${text}`)
  const texts = files(base, "")
    .filter((path) => /\.md$|^llms\.txt$/.test(path) && !/CHANGELOG/.test(path))
    .map((path) => ({ path, text: readFileSync(join(base, path), "utf8") }))
  const documents = texts.flatMap(({ path, text }) => long(path, Sentences.ofMarkdown(text)))
  const emptyHeadings = texts.flatMap(({ path, text }) =>
    Sentences.emptyHeadings(text).map((heading) => `${path}:${heading}`),
  )
  const inComments = (isTests: boolean) =>
    all.filter(({ test }) => test === isTests).flatMap(({ path, syntax }) => long(path, Sentences.ofComments(syntax)))
  const [ofSources, ofTests] = [inComments(false), inComments(true)]
  return [
    { key: "sentences", label: `sentences over ${wordLimit} words`, places: [...documents, ...ofSources, ...ofTests] },
    { key: "sentences-documents", label: "  documents", places: documents },
    { key: "sentences-sources", label: "  comments of sources", places: ofSources },
    { key: "sentences-tests", label: "  comments of tests", places: ofTests },
    { key: "empty-headings", label: "headings without text in documents", places: emptyHeadings },
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

/** Locations of calls of a function, by its name as written. */
const callsOf = (all: ReadonlyArray<File>, isCounted: (callee: string, file: File) => boolean): ReadonlyArray<string> =>
  all.flatMap((file) =>
    calls(file.syntax)
      .filter(({ callee }) => isCounted(callee, file))
      .map(({ callee, line }) => `${file.path}:${line} ${callee}`),
  )

const timers = /^(?:node:)?timers(?:\/promises)?$/

/** Local names of imports from Node's timers. */
const timerNames = ({ program }: Syntax): ReadonlyArray<string> =>
  children(program, "body")
    .filter(
      (node) => node.type === "ImportDeclaration" && timers.test(textOf(child(node, "source") ?? node, "value") ?? ""),
    )
    .flatMap((node) => children(node, "specifiers"))
    .map((specifier) => textOf(child(specifier, "local") ?? specifier, "name") ?? "")

/** Calls in tests that wait for real time: Effect's sleep, timers of the platform, and Node's timers. */
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

/** Comment lines that match a pattern. */
const commentLines = (all: ReadonlyArray<File>, pattern: RegExp): ReadonlyArray<string> =>
  all.flatMap(({ path, syntax }) =>
    syntax.comments.flatMap((comment) => {
      const first = syntax.lineAt(comment.start)
      return comment.value
        .split("\n")
        .flatMap((line, index) => (pattern.test(line) ? [`${path}:${first + index} ${line.trim()}`] : []))
    }),
  )

/** Measures a repository with the same layout, with the word list of this one. */
export const measure = (base: string): ReadonlyArray<Measure> => {
  const all = read(base)
  const sources = all.filter(({ test }) => !test)
  const tests = all.filter(({ test }) => test)
  return [
    ...folderMeasures(sources),
    ...lineMeasures(all),
    ...functionMeasures(sources, tests),
    ...fileMeasures(sources, tests),
    ...exportMeasures(base),
    decisionMeasure(base),
    ...spreadMeasures(all),
    ...sentenceMeasures(base, all),
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
