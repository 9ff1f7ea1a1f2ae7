/**
 * Verifies imports: their direction between packages, the order of the folders of a package, and the absence of cycles.
 * `node tooling/check/imports.ts [folder]` checks this repository, or another one with the same folders.
 */
import { existsSync, readFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { dirname, posix, join } from "node:path"
import { entryOf, folderOrder, formatOrder } from "./FolderOrder.ts"
import * as Source from "./Source.ts"
import { files, manifest, report, root } from "./Workspace.ts"

/** Packages of this repository that the sources of a package may import. */
const allowed: Readonly<Record<string, ReadonlyArray<string>>> = {
  "packages/schema": [],
  "packages/abi": ["@daybook/schema"],
  "packages/transport": ["@daybook/schema"],
  "packages/rest": ["@daybook/schema", "@daybook/transport"],
  "packages/rpc": ["@daybook/schema", "@daybook/transport"],
  "packages/service": ["@daybook/schema", "@daybook/abi", "@daybook/transport", "@daybook/rpc", "@daybook/rest"],
  "packages/testkit": ["@daybook/schema", "@daybook/rest", "@daybook/rpc"],
  "tooling/harness": [],
  "tooling/hostile": ["@daybook/harness", "@daybook/testkit"],
  "tooling/chain": ["@daybook/harness", "@daybook/testkit"],
  "tooling/config": [],
  "apps/explorer": ["@daybook/abi", "@daybook/rest", "@daybook/rpc"],
  "apps/demo": [
    "@daybook/schema",
    "@daybook/transport",
    "@daybook/rest",
    "@daybook/rpc",
    "@daybook/service",
    "@daybook/chain",
  ],
}

/** Packages that any test may import. */
const testTools = ["@daybook/harness", "@daybook/config"]

/** Test tools that depend on the test kit, which depends on the clients. */
const toolsOnTestKit = ["@daybook/chain", "@daybook/hostile", "@daybook/testkit"]

/** Packages on which those tools depend: their tests import none of them, since a package must not depend on itself. */
const belowTools = new Set([
  ...["schema", "transport", "rest", "rpc", "testkit"].map((name) => `packages/${name}`),
  "tooling/harness",
])

/** Tests of the clients that need these tools. */
const clientTests = new Set(["tooling/chain", "tooling/hostile"])

/** Tests that run pages against a service. */
const serviceTests = new Set(["apps/explorer"])

/** Packages that also run without Node: their sources import no Node module. */
const portable = new Set(["schema", "abi", "transport", "rest", "rpc", "testkit"].map((name) => `packages/${name}`))

/** Imports that the order of folders permits and this repository does not. */
const apart: ReadonlyArray<{ readonly part: string; readonly of: RegExp; readonly never: RegExp }> = [
  { part: "server", of: /^server\//, never: /^indexer\// },
  // Only the table of URL schemes imports the engines.
  { part: "the service", of: /^(?!store\/(?:[^/]+\/|Engine\.ts))/, never: /^store\/[^/]+\// },
]

/** The package of a specifier: `effect` for `effect/Schema`, `@daybook/schema` for `@daybook/schema/Block`. */
const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/")

interface Edge extends Source.Import {
  readonly from: string
  /** Path of the imported file from the repository's root; undefined for a package. */
  readonly to: string | undefined
}

const sources = (folder: string): ReadonlyArray<string> => [...files(folder, ".ts"), ...files(folder, ".tsx")]

const edges = (base: string): ReadonlyArray<Edge> =>
  Object.keys(allowed).flatMap((folder) =>
    sources(join(base, folder)).flatMap((file) => {
      const from = `${folder}/${file}`
      return Source.imports(from, readFileSync(join(base, from), "utf8")).map((imported) => ({
        ...imported,
        from,
        to: imported.specifier.startsWith(".") ? posix.join(posix.dirname(from), imported.specifier) : undefined,
      }))
    }),
  )

const folderOf = (file: string): string => file.split("/").slice(0, 2).join("/")
const isTest = (file: string): boolean => !file.startsWith(`${folderOf(file)}/src/`)
const at = (edge: Edge): string => `${edge.from}:${edge.line}`

/** Imports of packages: their direction, whether they are declared, and Node modules in portable packages. */
const packageProblems = (base: string, all: ReadonlyArray<Edge>): ReadonlyArray<string> =>
  all.flatMap((edge) => {
    if (edge.to !== undefined) return []
    const folder = folderOf(edge.from)
    const test = isTest(edge.from)
    if (isBuiltin(edge.specifier)) {
      return portable.has(folder) && !test
        ? [`${at(edge)} imports ${edge.specifier}, but ${folder} also runs without Node`]
        : []
    }
    const packageManifest = manifest(join(base, folder))
    if (edge.specifier.startsWith("#")) {
      return edge.specifier in (packageManifest.imports ?? {})
        ? []
        : [`${at(edge)} imports ${edge.specifier}, which ${folder}/package.json does not have under imports`]
    }
    const name = packageOf(edge.specifier)
    if (name === packageManifest.name) return []
    const may = [
      ...(allowed[folder] ?? []),
      ...(test ? testTools : []),
      ...(test && serviceTests.has(folder) ? ["@daybook/schema", "@daybook/service"] : []),
      ...(test && !belowTools.has(folder) ? toolsOnTestKit : []),
      ...(test && clientTests.has(folder)
        ? ["@daybook/schema", "@daybook/transport", "@daybook/rest", "@daybook/rpc"]
        : []),
    ]
    if (name.startsWith("@daybook/") && !may.includes(name)) {
      return [
        `${at(edge)} imports ${name}, but ${folder} may import ${may.join(", ") || "no package of this repository"}`,
      ]
    }
    const { dependencies, devDependencies, optionalDependencies, peerDependencies } = packageManifest
    const forTests = test ? devDependencies : {}
    const declared = { ...dependencies, ...optionalDependencies, ...peerDependencies, ...forTests }
    return name in declared ? [] : [`${at(edge)} imports ${name}, which ${folder}/package.json does not declare`]
  })

const inPackage = (path: string): string => path.split("/").slice(3).join("/")

/** Imports against the order of the folders of their package, or of a folder that the order does not contain. */
const orderProblems = (edge: Edge, to: string, folder: string): ReadonlyArray<string> => {
  const order = folderOrder[folder]
  if (order === undefined) return []
  const [source, target] = [edge.from, to].map((path) => entryOf(order, inPackage(path).replace(/\.tsx?$/, "")))
  if (source === undefined || target === undefined) {
    return [`${at(edge)}: the order of the folders of ${folder} lacks ${source === undefined ? edge.from : to}`]
  }
  return order.indexOf(target) <= order.indexOf(source)
    ? []
    : [`${at(edge)}: ${source} must not import ${inPackage(to)}, since ${target} comes after it`]
}

const apartProblems = (edge: Edge, to: string): ReadonlyArray<string> => {
  if (!edge.from.startsWith("packages/service/src/")) return []
  const rule = apart.find(({ never, of }) => of.test(inPackage(edge.from)) && never.test(inPackage(to)))
  return rule === undefined ? [] : [`${at(edge)}: ${rule.part} must not import ${inPackage(to)}`]
}

/** Imports of files: they exist, stay inside the package, and follow the order of its folders. */
const fileProblems = (base: string, all: ReadonlyArray<Edge>): ReadonlyArray<string> =>
  all.flatMap((edge) => {
    if (edge.to === undefined) return []
    const folder = folderOf(edge.from)
    if (folderOf(edge.to) !== folder) return [`${at(edge)} reaches into ${edge.to}: import the package instead`]
    if (!existsSync(join(base, edge.to))) return [`${at(edge)} imports ${edge.to}, which does not exist`]
    if (!isTest(edge.from) && isTest(edge.to)) return [`${at(edge)} imports ${edge.to}, which is not a source`]
    return isTest(edge.from) ? [] : [...orderProblems(edge, edge.to, folder), ...apartProblems(edge, edge.to)]
  })

/** Cycles among files, each reported once, from its first file in alphabetical order. */
const circles = (all: ReadonlyArray<Edge>): ReadonlyArray<string> => {
  const next = new Map<string, Set<string>>()
  for (const { from, to } of all) if (to !== undefined) next.set(from, (next.get(from) ?? new Set()).add(to))
  const cycles = new Map<string, string>()
  const done = new Set<string>()
  const visit = (file: string, path: ReadonlyArray<string>): void => {
    const start = path.indexOf(file)
    if (start >= 0) {
      const circle = path.slice(start)
      cycles.set(circle.toSorted().join(), [...circle, file].join(" -> "))
    } else if (!done.has(file)) {
      for (const other of next.get(file) ?? []) visit(other, [...path, file])
      done.add(file)
    }
  }
  for (const file of [...next.keys()].toSorted()) visit(file, [])
  return [...cycles.values()].map((circle) => `circular import: ${circle}`)
}

/** The issues of the imports of a repository with this layout. */
export const issues = (base: string): ReadonlyArray<string> => {
  const all = edges(base)
  return [...packageProblems(base, all), ...fileProblems(base, all), ...circles(all)]
}

/** Orders that a document does not contain; line breaks are ignored. */
export const unprinted = (document: string): ReadonlyArray<string> => {
  const text = document.replaceAll(/\s+/g, " ")
  return Object.entries(folderOrder).flatMap(([folder, order]) =>
    text.includes(formatOrder(order))
      ? []
      : [`ARCHITECTURE.md does not print the order of ${folder}: ${formatOrder(order)}`],
  )
}

if (process.argv[1] === import.meta.filename) {
  const base = process.argv[2] ?? root
  const count = Object.keys(allowed).reduce((sum, folder) => sum + sources(join(base, folder)).length, 0)
  if (count === 0) throw new Error(`imports: no sources under ${dirname(base)}`)
  const printed = base === root ? unprinted(readFileSync(join(root, "ARCHITECTURE.md"), "utf8")) : []
  report("imports", [...issues(base), ...printed], `${count} files import in the right direction, without cycles`)
}
