/**
 * Parameters in the body of a request: a form, possibly as a multipart body, or the members of a JSON object, depending on the client
 * library.
 *
 * Source: decision 0070.
 */
import * as Issue from "@daybook/schema/Issue"
import * as Json from "@daybook/schema/Json"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Envelope from "./Envelope.ts"

/** Names and values, in order. */
export type Form = ReadonlyArray<readonly [name: string, value: string]>

/** A JSON member as a parameter; `null` counts as absent. */
const parameterOf = ([name, value]: readonly [string, unknown]): Effect.Effect<Form, Envelope.Refused> => {
  if (value === null) return Effect.succeed([])
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return Effect.succeed([[name, String(value)]])
  }
  return Effect.fail(Envelope.invalid(Issue.cut(name), "a text, a number or a boolean"))
}

const ofJson = (bytes: Buffer): Effect.Effect<Form, Envelope.Refused> => {
  const json = Json.parse(bytes.toString())
  if (!Predicate.isObject(json)) return Effect.fail(Envelope.invalid("request body", "a JSON object"))
  return Effect.map(Effect.forEach(Object.entries(json), parameterOf), (found) => found.flat())
}

/** Text parts of a multipart body; files are not parameters. */
const ofParts = (bytes: Buffer, contentType: string): Effect.Effect<Form, Envelope.Refused> =>
  Effect.tryPromise({
    try: () => new Response(new Uint8Array(bytes), { headers: { "content-type": contentType } }).formData(),
    catch: () => Envelope.invalid("request body", "the parts of a form, with the boundary of the content-type"),
  }).pipe(
    Effect.map((form) =>
      [...form].flatMap(([name, value]) => (typeof value === "string" ? [[name, value] as const] : [])),
    ),
  )

/** Reads a body by its `content-type`. An unknown type is read as a form, because clients omit the header. */
export const read = (bytes: Buffer, contentType: string): Effect.Effect<Form, Envelope.Refused> => {
  const [type = ""] = contentType.toLowerCase().split(";", 1)
  if (bytes.length === 0) return Effect.succeed([])
  if (type.trim() === "application/json") return ofJson(bytes)
  if (type.trim() === "multipart/form-data") return ofParts(bytes, contentType)
  return Effect.succeed([...new URLSearchParams(bytes.toString())])
}
