import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Form from "../../../src/server/etherscan/Form.ts"

/** The parameters of a body, or the text of the refusal. */
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
    "read: takes a body of the type %j for a form",
    (type) =>
      Effect.gen(function* () {
        expect(yield* read("chainid=1&to=a%20b&to=c", type)).toEqual([
          ["chainid", "1"],
          ["to", "a b"],
          ["to", "c"],
        ])
      }),
  )

  it.effect("read: takes texts, numbers and booleans of a JSON object, and null as none", () =>
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

  it.effect("read: refuses JSON of another form by what is wrong", () =>
    Effect.gen(function* () {
      for (const body of ["[]", "5", "{", "null"]) {
        expect(yield* read(body, "application/json")).toBe("Error! Invalid request body: expected a JSON object")
      }
      expect(yield* read('{"page":[1]}', "application/json")).toBe(
        "Error! Invalid page: expected a text, a number or a boolean",
      )
    }),
  )

  it.effect("read: takes the parts of a multipart body that are texts", () =>
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

  it.effect("read: refuses a multipart body without its boundary, and one that is cut", () =>
    Effect.gen(function* () {
      const refused = "Error! Invalid request body: expected the parts of a form, with the boundary of the content-type"

      expect(yield* read(partsOf(['name="a"', "1"]), "multipart/form-data")).toBe(refused)
      expect(yield* read('--XyZ\r\nContent-Disposition: form-data; name="a"\r\n\r\n1', multipart)).toBe(refused)
    }),
  )
})
