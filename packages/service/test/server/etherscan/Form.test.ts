import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Form from "../../../src/server/etherscan/Form.ts"

/** The parameters of a body, or the text of the error. */
const read = (body: string, contentType: string) =>
  Form.read(Buffer.from(body), contentType).pipe(
    Effect.map((form): unknown => form),
    Effect.catchTag("Refused", ({ result }) => Effect.succeed(result)),
  )

const multipart = "multipart/form-data; boundary=XyZ"

const partsOf = (...parts: ReadonlyArray<readonly [disposition: string, value: string]>) =>
  `${parts.map(([disposition, value]) => `--XyZ\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${value}\r\n`).join("")}--XyZ--\r\n`

describe("Form", () => {
  it.effect.each(["application/x-www-form-urlencoded", "", "text/plain;charset=UTF-8"])(
    "read: accepts a body of the type %j as a form",
    (type) =>
      Effect.gen(function* () {
        expect(yield* read("chainid=1&to=a%20b&to=c", type)).toEqual([
          ["chainid", "1"],
          ["to", "a b"],
          ["to", "c"],
        ])
      }),
  )

  it.effect("read: accepts strings, numbers and booleans of a JSON object, and treats null as absent", () =>
    Effect.gen(function* () {
      const body = JSON.stringify({ chainid: 1, boolean: true, module: "account", tag: null })

      expect(yield* read(body, "Application/JSON; charset=utf-8")).toEqual([
        ["chainid", "1"],
        ["boolean", "true"],
        ["module", "account"],
      ])
      expect(yield* read("", "application/json")).toEqual([])
    }),
  )

  it.effect("read: rejects JSON of another form with the reason", () =>
    Effect.gen(function* () {
      for (const body of ["[]", "5", "{", "null"]) {
        expect(yield* read(body, "application/json")).toBe("Error! Invalid request body: expected a JSON object")
      }
      expect(yield* read('{"page":[1]}', "application/json")).toBe(
        "Error! Invalid page: expected a text, a number or a boolean",
      )
    }),
  )

  it.effect("read: reads the text parts of a multipart body", () =>
    Effect.gen(function* () {
      const body = partsOf(
        ['name="chainid"', "1"],
        ['name="source"; filename="a.sol"', "text"],
        ['name="tag"', "latest"],
      )

      expect(yield* read(body, multipart)).toEqual([
        ["chainid", "1"],
        ["tag", "latest"],
      ])
    }),
  )

  it.effect("read: rejects a multipart body without its boundary, and a truncated one", () =>
    Effect.gen(function* () {
      const refused = "Error! Invalid request body: expected the parts of a form, with the boundary of the content-type"

      expect(yield* read(partsOf(['name="a"', "1"]), "multipart/form-data")).toBe(refused)
      expect(yield* read('--XyZ\r\nContent-Disposition: form-data; name="a"\r\n\r\n1', multipart)).toBe(refused)
    }),
  )
})
