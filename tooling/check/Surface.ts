/** Public surface of a package: each name that a program can import from it, according to the `exports` of its package.json. */
import { existsSync, readFileSync } from "node:fs"
import { join, posix } from "node:path"
import { child, children, isSource, parse, textOf } from "./Syntax.ts"
import type { Node } from "./Syntax.ts"
import { files, manifest } from "./Workspace.ts"
import type { Manifest } from "./Workspace.ts"

type Exports = Readonly<Record<string, unknown>>

/** File of an entry of `exports`: the first source among its conditions. */
const target = (entry: unknown): string | undefined => {
  if (typeof entry === "string") return isSource(entry) ? entry : undefined
  if (typeof entry !== "object" || entry === null) return undefined
  for (const inner of Object.values(entry)) {
    const nested = target(inner)
    if (nested !== undefined) return nested
  }
  return undefined
}

/** Part of a text that `*` matches; undefined if the text does not match. */
const starOf = (pattern: string, text: string): string | undefined => {
  const [before = "", after] = pattern.split("*")
  if (after === undefined) return pattern === text ? "" : undefined
  const fits = text.startsWith(before) && text.endsWith(after) && text.length > before.length + after.length
  return fits ? text.slice(before.length, text.length - after.length) : undefined
}

/** The key of `exports` that applies to a path: an exact one, otherwise the pattern with the longest prefix. */
const deciding = (exports: Exports, subpath: string): string | undefined =>
  Object.keys(exports)
    .filter((key) => starOf(key, subpath) !== undefined)
    .toSorted((one, other) => other.indexOf("*") - one.indexOf("*"))
    .toSorted((one, other) => Number(one.includes("*")) - Number(other.includes("*")))[0]

/** The modules, as paths from the package's folder, that `exports` makes importable. */
export const entryPoints = (exports: Exports, paths: ReadonlyArray<string>): ReadonlyArray<string> =>
  paths.filter((path) =>
    Object.entries(exports).some(([key, entry]) => {
      const pattern = target(entry)
      const star = pattern === undefined ? undefined : starOf(pattern, `./${path}`)
      return star !== undefined && deciding(exports, key.replace("*", star)) === key
    }),
  )

const declaredNames = (declaration: Node): ReadonlyArray<string> =>
  [declaration, ...children(declaration, "declarations")]
    .flatMap((node) => children(node, "id"))
    .flatMap((id) => textOf(id, "name") ?? [])

/** Names that a module exports itself, and the modules that it re-exports. */
interface Module {
  readonly names: ReadonlyArray<string>
  readonly from: ReadonlyArray<string>
}

const read = (file: string, text: string): Module => {
  const names: Array<string> = []
  const from: Array<string> = []
  for (const node of children(parse(file, text).program, "body")) {
    if (node.type === "ExportDefaultDeclaration") names.push("default")
    if (node.type === "ExportNamedDeclaration") {
      names.push(...children(node, "declaration").flatMap(declaredNames))
      for (const one of children(node, "specifiers")) {
        const exported = child(one, "exported")
        names.push((exported && (textOf(exported, "name") ?? textOf(exported, "value"))) ?? "")
      }
    }
    const source = node.type === "ExportAllDeclaration" ? child(node, "source") : undefined
    const specifier = source === undefined ? undefined : textOf(source, "value")
    if (specifier?.startsWith(".") === true) from.push(posix.join(posix.dirname(file), specifier))
  }
  return { names, from }
}

/** The entries of `exports` that a published package keeps. */
const publishedExports = ({ exports = {}, publishConfig }: Manifest): Exports =>
  Object.fromEntries(Object.entries(exports).filter(([path]) => path in (publishConfig?.exports ?? exports)))

/** Importable names of a package as `path#name`, including those of `export *`. */
export const surface = (folder: string): ReadonlyArray<string> => {
  const surfaceNames = new Set<string>()
  const visited = new Set<string>()
  const visit = (path: string): void => {
    if (visited.has(path) || !existsSync(join(folder, path))) return
    visited.add(path)
    const { names, from } = read(path, readFileSync(join(folder, path), "utf8"))
    for (const name of names) surfaceNames.add(`${path}#${name}`)
    from.forEach(visit)
  }
  entryPoints(publishedExports(manifest(folder)), files(folder, "").filter(isSource)).forEach(visit)
  return [...surfaceNames].toSorted()
}
