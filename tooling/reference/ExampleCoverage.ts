/**
 * Which exported values of the published packages have an example in their documentation: `node tooling/reference/ExampleCoverage.ts`. An
 * example is a `ts` block that names the value; `pnpm examples` runs it. Fails where one is missing.
 */
import { join, relative } from "node:path"
import type { Declaration, Node, Symbol as TypeScriptSymbol, TypeChecker } from "typescript"
import { manifest, published, root } from "../check/Workspace.ts"
import { options, ts } from "./Compiler.ts"

/** An exported value without an example. */
export interface Missing {
  /** Place of its declaration. */
  readonly place: string
  readonly name: string
}

/** What was found. */
export interface Coverage {
  readonly values: number
  readonly missing: ReadonlyArray<Missing>
}

/** Modules of a package that a program may import, without those whose path states that they are internal. */
const modulesOf = (folder: string): ReadonlyArray<string> =>
  Object.entries(manifest(folder).exports ?? {}).flatMap(([path, file]) =>
    typeof file === "string" && file.endsWith(".ts") && !/\*|internal/.test(path) ? [join(folder, file)] : [],
  )

const fence = /```ts\n([\s\S]*?)```/g

/** True where an example in the documentation of a value names it. */
const hasExample = (documentation: string, name: string): boolean =>
  [...documentation.matchAll(fence)].some(([, code = ""]) => new RegExp(`\\b${name}\\b`).test(code))

/** The statement of a declaration: that of a variable holds its comment. */
const statementOf = (declaration: Declaration): Node =>
  ts.isVariableDeclaration(declaration) ? declaration.parent.parent : declaration

/** The documentation comment of a declaration, without its asterisks. */
const documentationOf = (declaration: Declaration): string => {
  const { text } = declaration.getSourceFile()
  const comment = ts.getLeadingCommentRanges(text, statementOf(declaration).getFullStart())?.at(-1)
  return comment === undefined ? "" : text.slice(comment.pos, comment.end).replaceAll(/^[ \t]*\* ?/gm, "")
}

const resolved = (checker: TypeChecker, symbol: TypeScriptSymbol): TypeScriptSymbol =>
  (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol)

/** Finds the exported values, each declaration once, and those that lack an example. */
export const find = (): Coverage => {
  const files = published.flatMap((name) => modulesOf(join(root, "packages", name)))
  const program = ts.createProgram(files, {
    ...options,
    lib: ["lib.es2024.d.ts", "lib.dom.d.ts", "lib.dom.iterable.d.ts"],
  })
  const checker = program.getTypeChecker()
  const seen = new Set<string>()
  const missing: Array<Missing> = []
  for (const file of files) {
    const source = program.getSourceFile(file)
    const module = source && checker.getSymbolAtLocation(source)
    for (const exported of module === undefined ? [] : checker.getExportsOfModule(module)) {
      const symbol = resolved(checker, exported)
      const declaration = symbol.valueDeclaration
      const own = declaration?.getSourceFile()
      const isValue = (symbol.flags & ts.SymbolFlags.Value) !== 0 && (symbol.flags & ts.SymbolFlags.ValueModule) === 0
      if (
        !isValue ||
        declaration === undefined ||
        own === undefined ||
        !own.fileName.startsWith(join(root, "packages"))
      )
        continue
      const line = own.getLineAndCharacterOfPosition(declaration.getStart()).line + 1
      const place = `${relative(root, own.fileName)}:${line}`
      if (seen.has(place)) continue
      seen.add(place)
      const documentation = documentationOf(declaration)
      if (!hasExample(documentation, symbol.name)) missing.push({ place, name: symbol.name })
    }
  }
  return { values: seen.size, missing }
}

/** The share of values with an example, as a line. */
export const summary = ({ missing, values }: Coverage): string => {
  const found = values - missing.length
  return `examples: ${found} of ${values} exported values have one (${((100 * found) / values).toFixed(1)} %)`
}

if (process.argv[1] === import.meta.filename) {
  const coverage = find()
  for (const { name, place } of coverage.missing) console.error(`${place}: ${name} has no example`)
  console.log(summary(coverage))
  process.exitCode = coverage.missing.length === 0 ? 0 : 1
}
