/** Type, unit and meaning of the fields of a resource, from its schema and the annotations of its source, as listed in FIELDS.md. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as SchemaAST from "effect/SchemaAST"

/** Source text of the object literal at a position, including its braces. */
const objectAt = (source: string, from: number): string => {
  let depth = 0
  for (let at = from; at < source.length; at++) {
    if (source[at] === "{") depth++
    else if (source[at] === "}" && --depth === 0) return source.slice(from, at + 1)
  }
  return ""
}

/** Text of a comment on one line. */
const lineOf = (comment: string): string =>
  comment
    .replaceAll(/^\s*\* ?/gm, "")
    .replaceAll(/\s+/g, " ")
    .trim()

/** Annotation of a field in a text. */
const annotationIn = (source: string, field: string): string | undefined => {
  const name = field.replaceAll(/[$]/g, String.raw`\$&`)
  const match = new RegExp(String.raw`/\*\*((?:(?!\*/)[\s\S])*)\*/\s*"?${name}"?(?::|,)`).exec(source)
  return match === null ? undefined : lineOf(match[1]!)
}

const folder = join(import.meta.dirname, "../src")

/** Modules whose fields a module exports in its own resources. */
const shared: Readonly<Record<string, ReadonlyArray<string>>> = {
  Block: ["internal/blockHeader", "internal/partialBlock"],
  JsonRpc: ["internal/errorObject"],
  RpcMethod: ["internal/rpcResults"],
  Transaction: ["internal/transactionFields", "internal/chainTransactions"],
}

const sourceOf = (module: string): string =>
  [module, ...(shared[module] ?? [])].map((name) => readFileSync(join(folder, `${name}.ts`), "utf8")).join("\n")

/** Meaning of a field: the annotation in the resource itself, or else in an object of its module that it shares. */
export const meaningOf = (
  module: string,
  schema: { readonly ast: SchemaAST.AST },
  field: string,
): string | undefined => {
  const source = sourceOf(module)
  const [, resource = ""] = /^an object \((.*)\)$/.exec(nameOf(schema.ast)) ?? []
  const begin = new RegExp(String.raw`open\(\s*"${resource}",\s*\{`).exec(source)
  const resourceSource = begin === null ? "" : objectAt(source, begin.index + begin[0].length - 1)
  return annotationIn(resourceSource, field) ?? annotationIn(source, field)
}

/** Words of an annotation that state a unit, and the unit. */
const units: ReadonlyArray<readonly [words: RegExp, unit: string]> = [
  [/\bgwei\b/i, "gwei"],
  [/smallest unit/i, "smallest unit of the asset"],
  [/\bgas price|\bwei\b|\bfee (?:per|for)|per gas/i, "wei"],
  [/\bgas\b/i, "gas"],
  [/\bnanoseconds\b/i, "nanoseconds"],
  [/\bmilliseconds\b/i, "milliseconds"],
  [/\bseconds\b|\bUnix\b/i, "seconds"],
  [/\bbytes\b/i, "bytes"],
  [
    /\bblock number|number of (?:the|its|a) block|^(?:first|last|the)?\s*block\b|\bat block\b|^block\b/i,
    "block number",
  ],
]

/** Unit of a number; empty for a count, an index and an id. */
export const unitOf = (type: string, meaning: string): string =>
  /bigint|number/.test(type) ? (units.find(([words]) => words.test(meaning))?.[1] ?? "") : ""

/** Names of types by the expectation in error messages. */
const typeNames: ReadonlyArray<readonly [expected: RegExp, name: string]> = [
  [/\ba(?:n unsigned)? bigint of at most \d+ (?:bits|digits)/g, "bigint"],
  [/\ban unsigned safe integer/g, "number"],
  [/\ban address of 20 bytes in hex/g, "`Address`"],
  [/\ba hash of 32 bytes in hex/g, "`Hash`"],
  [/\bhex bytes such as 0xa9059cbb/g, "`Hex`"],
  [/\bhex digits such as 0x1f/g, "`HexText`"],
  [/\ba valid Date between the years 0000 and 9999/g, "`Date`"],
  [/\ba text of at most/g, "text of at most"],
  [/\ban object \(([^)]+)\)/g, "`$1`"],
]

/** Name of the decoded type of a field. */
export const typeOf = (schema: { readonly ast: SchemaAST.AST }): string =>
  typeNames.reduce((text, [expected, name]) => text.replaceAll(expected, name), nameOf(SchemaAST.toType(schema.ast)))

const identifierOf = (ast: SchemaAST.AST): string | undefined => {
  const name = SchemaAST.resolveAt<string>("identifier")(ast)
  return name === undefined || name.startsWith("_") ? undefined : name
}

/** Expected value in error messages for a type; `object` if it has none. */
const expectedOf = (ast: SchemaAST.AST): string => {
  const expected = SchemaAST.resolve(ast)?.["expected"]
  return typeof expected === "string" ? expected : "object"
}

/** Maximum number of literals that are listed. */
const maxListed = 12

/** Members of a union; many literals are named by their type. */
const unionOf = (types: ReadonlyArray<SchemaAST.AST>): string => {
  const isMany = types.length > maxListed
  const names = types.map((type) => (isMany && type._tag === "Literal" ? typeof type.literal : nameOf(type)))
  return [...new Set(names)].join(" or ")
}

const nameOf = (ast: SchemaAST.AST): string => {
  switch (ast._tag) {
    case "BigInt":
      return "bigint"
    case "Number":
      return "number"
    case "String":
      return "text"
    case "Boolean":
      return "boolean"
    case "Null":
      return "null"
    case "Literal":
      return JSON.stringify(ast.literal)
    case "Union":
      return unionOf(ast.types)
    case "Arrays":
      return `list of ${unionOf(ast.rest.length > 0 ? ast.rest : ast.elements)}`
    case "Declaration": {
      const [parameter] = ast.typeParameters
      return parameter?._tag === "Arrays" ? nameOf(parameter) : (identifierOf(ast) ?? expectedOf(ast))
    }
    default:
      return identifierOf(ast) ?? "any JSON"
  }
}
