/** Encodes queries that describe an address or a pack. */
import type * as Chain from "@daybook/schema/Chain"
import * as Contract from "@daybook/schema/Contract"
import * as Issue from "@daybook/schema/Issue"
import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Result from "effect/Result"
import * as SchemaParser from "effect/SchemaParser"
import { type Field, invalid, readChain } from "./QueryValues.ts"

/** Members common to all queries about a description. */
interface Described {
  readonly contract: string
  readonly chain?: Chain.Input | undefined
}

/** A description. */
interface Description {
  readonly name?: string | undefined
  readonly abi?: ReadonlyArray<unknown> | undefined
}

const decodePath = SchemaParser.decodeUnknownResult(Contract.Path)
const encodeBody = SchemaParser.encodeUnknownResult(Contract.Description)

/** JSON text of a value; undefined if it has none, as for a circular object. */
const textOf = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** The JSON of a description. */
export const readDescription = ({ abi, name }: Description): Field<string> => {
  const description = Record.filter<string, unknown>({ name, abi }, Predicate.isNotUndefined)
  const encoded = Result.mapError(encodeBody(description), (error) => Issue.fromError(error, description)[0]!)
  return Result.flatMap(encoded, (body) => {
    const text = textOf(body)
    return text === undefined ? invalid("abi", "an array that JSON can represent", abi) : Result.succeed(text)
  })
}

/** Makes the encoder for a query about one description; `keys` are its allowed members. */
export const contractEncoder =
  <Q extends Described>(keys: ReadonlyArray<string>, readBody: (query: Q) => Field<string> | undefined) =>
  (query: Q) =>
    Result.gen(function* () {
      if (typeof query !== "object" || query === null) {
        return yield* invalid("query", "an object whose contract is an address or the name of a pack", query)
      }
      const unknown = Object.keys(query).find((name) => !keys.includes(name))
      if (unknown !== undefined) {
        const expected = `one of the keys ${keys.join(", ")}`
        return yield* Result.fail({ path: Issue.cut(unknown), expected, received: "an unknown key" })
      }
      const { chain, contract } = query
      // Sound: an error has at least one issue.
      const params = yield* Result.mapError(
        decodePath({ contract }),
        (error) => Issue.fromError(error, { contract })[0]!,
      )
      const parameters = chain === undefined ? {} : { chain: yield* readChain(chain) }
      const body = readBody(query)
      return { params, parameters, body: body === undefined ? undefined : yield* body }
    })
