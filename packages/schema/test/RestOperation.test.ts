import { expect, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { describe } from "vitest"
import * as Address from "../src/Address.ts"
import * as Contract from "../src/Contract.ts"
import * as ExplorerOperation from "../src/ExplorerOperation.ts"
import * as Issue from "../src/Issue.ts"
import * as RestApi from "../src/RestApi.ts"
import * as ChangeOperation from "../src/ChangeOperation.ts"
import * as RestOperation from "../src/RestOperation.ts"
import * as WebhookOperation from "../src/WebhookOperation.ts"

const { movements, walletTransactions } = RestOperation
const { names, search } = ExplorerOperation

/** A text as UTF-8 encodes it: lone surrogates have no encoding. */
const wellFormed = (text: string): string => Buffer.from(text).toString()
const decode = (text: Readonly<Record<string, string>>) =>
  Result.mapError(RestOperation.decodeQuery(walletTransactions, text), (issue) => Issue.format("parameter", issue))

describe("RestOperation", () => {
  it("all: names each operation by its key", () => {
    expect(Object.values(RestOperation.all).map(({ name }) => name)).toEqual(Object.keys(RestOperation.all))
  })

  it("all: every operation is a route of the HTTP interface", () => {
    for (const { method, name, path } of Object.values(RestOperation.all)) {
      expect(RestApi.routes).toContainEqual({ group: "wallets", method, name, path })
    }
    for (const { method, name, path } of Object.values(ChangeOperation.all)) {
      const group = path.includes("/contracts/") ? "contracts" : "wallets"
      expect(RestApi.routes).toContainEqual({ group, method, name, path })
    }
  })

  it("explorer: names each operation by its key, and each is a route of the HTTP interface", () => {
    expect(Object.values(ExplorerOperation.all).map(({ name }) => name)).toEqual(Object.keys(ExplorerOperation.all))
    for (const { method, name, path } of Object.values(ExplorerOperation.all)) {
      expect(RestApi.routes).toContainEqual(expect.objectContaining({ method, name, path }))
    }
  })

  it("webhooks: names each operation by its key, and each is a route of the HTTP interface", () => {
    expect(Object.values(WebhookOperation.all).map(({ name }) => name)).toEqual(Object.keys(WebhookOperation.all))
    for (const { method, name, params, path } of Object.values(WebhookOperation.all)) {
      expect(RestApi.routes).toContainEqual({ group: "webhooks", method, name, path })
      expect(path.match(/(?<=:)\w+/g) ?? []).toEqual(Object.keys(params.fields))
    }
  })

  it.prop("explorer: decodeQuery returns the encoded query of names", [names.query], ([query]) => {
    const text = Result.getOrThrow(RestOperation.encodeQuery(names, query))
    expect(RestOperation.decodeQuery(names, text)).toEqual(Result.succeed(query))
  })

  it.prop("explorer: decodeQuery returns the encoded query of the search", [search.query], ([query]) => {
    const text = Result.getOrThrow(RestOperation.encodeQuery(search, query))
    expect(RestOperation.decodeQuery(search, text)).toEqual(Result.succeed(query))
  })

  it("explorer: limits a list of names to 100, in lower case", () => {
    const decode = (address: string) => Result.isSuccess(RestOperation.decodeQuery(names, { address }))
    const address = `0x${"ab".repeat(20)}`

    expect([100, 101].map((count) => decode(Array.from({ length: count }, () => address).join(",")))).toEqual([
      true,
      false,
    ])
    expect(["", `${address},`, address.toUpperCase(), "0xab"].map(decode)).toEqual([false, false, false, false])
  })

  it("all: every name in a path is a path parameter, and every path parameter is in the path", () => {
    for (const { params, path } of Object.values(RestOperation.all)) {
      expect(path.match(/(?<=:)\w+/g)).toEqual(Object.keys(params.fields))
    }
  })

  it.prop(
    "contracts: the path and the body of a description encode to what was decoded",
    {
      path: Contract.Path,
      body: Contract.Description,
    },
    ({ body, path }) => {
      const encoded = Schema.encodeSync(Contract.Description)(body)
      expect(Schema.decodeUnknownSync(Contract.Description)(JSON.parse(JSON.stringify(encoded))).name).toEqual(
        body.name,
      )
      expect(Schema.decodeUnknownSync(Contract.Path)(path)).toEqual(path)
      expect(RestOperation.formatPath(ChangeOperation.putContract, path).split("/")).toHaveLength(5)
    },
  )

  it.each(["", " a", "a\nb", "a\u202eb", "0x1234", "0Xab", "x".repeat(101)])(
    "contracts: %j is not the name of a pack",
    (contract) => {
      expect(Result.isFailure(Schema.decodeUnknownResult(Contract.Path)({ contract }))).toBe(true)
    },
  )

  it("parameterNames: lists the query parameters in the order of the interface", () => {
    expect(RestOperation.parameterNames(walletTransactions)).toMatchInlineSnapshot(`
      [
        "chain",
        "from_block",
        "to_block",
        "from_date",
        "to_date",
        "cursor",
        "include",
        "scope",
        "limit",
        "order",
      ]
    `)
  })

  it.prop("encodeQuery: decodeQuery returns the encoded query", [walletTransactions.query], ([query]) => {
    const text = Result.getOrThrow(RestOperation.encodeQuery(walletTransactions, query))
    expect(decode(text)).toEqual(Result.succeed(query))
  })

  it.prop("encodeQuery: a URL carries the encoded query unchanged", [walletTransactions.query], ([query]) => {
    const text = Result.getOrThrow(RestOperation.encodeQuery(walletTransactions, query))
    expect(Object.fromEntries(new URLSearchParams({ ...text }))).toEqual(
      Object.fromEntries(Object.entries(text).map(([name, value]) => [name, wellFormed(value)])),
    )
  })

  it.prop("encodeQuery: decodeQuery returns the encoded query of movements", [movements.query], ([query]) => {
    const text = Result.getOrThrow(RestOperation.encodeQuery(movements, query))
    expect(RestOperation.decodeQuery(movements, text)).toEqual(Result.succeed(query))
  })

  it.each([
    [
      { asset: "ether" },
      'Invalid parameter "asset": expected native and token addresses, separated by commas, at most 20, received "ether".',
    ],
    [
      { asset: Array.from({ length: 21 }, () => "native").join(",") },
      /^Invalid parameter "asset": expected native and token addresses, separated by commas, at most 20, received "native,/,
    ],
    [{ kind: "fee,gift" }, /^Invalid parameter "kind": expected kinds of movements separated by commas: fee, value, /],
    [{ direction: "both" }, 'Invalid parameter "direction": expected in or out, received "both".'],
  ])("decodeQuery: fails on %j for movements", (text, message) => {
    const decoded = RestOperation.decodeQuery(movements, text)
    expect(Result.isFailure(decoded) && Issue.format("parameter", decoded.failure)).toEqual(
      typeof message === "string" ? message : expect.stringMatching(message),
    )
  })

  it("decodeQuery: reads a list of assets in any case, with spaces", () => {
    const token = `0x${"AB".repeat(20)}`
    expect(RestOperation.decodeQuery(movements, { asset: `Native, ${token}`, kind: "fee,erc20" })).toEqual(
      Result.succeed({ asset: ["native", token.toLowerCase()], kind: ["fee", "erc20"] }),
    )
  })

  it("encodeQuery: fails on a value of another type with the path of the parameter", () => {
    // A program that is not type-checked.
    const query = { limit: "many" } as unknown as typeof walletTransactions.query.Type
    expect(RestOperation.encodeQuery(walletTransactions, query)).toEqual(
      Result.fail({ path: "limit", expected: "a safe integer of at least 1", received: '"many"' }),
    )
  })

  it.each([
    [{ order: "up" }, 'Invalid parameter "order": expected ASC or DESC, received "up".'],
    [{ limit: "0" }, 'Invalid parameter "limit": expected a whole number of at least 1, received "0".'],
    [{ from_block: "-1" }, 'Invalid parameter "from_block": expected a block number in decimal digits, received "-1".'],
    [
      { from_blok: "1" },
      `Invalid parameter "from_blok": expected one of the keys ${RestOperation.parameterNames(walletTransactions).join(", ")}, received an unknown key.`,
    ],
  ])("decodeQuery: fails on %j", (text, message) => {
    expect(decode(text)).toEqual(Result.fail(message))
  })

  it.prop("formatPath: inserts the address into the path unchanged", [Address.Address], ([address]) => {
    expect(RestOperation.formatPath(walletTransactions, { address })).toBe(`/api/v2.2/${address}/verbose`)
  })

  it.prop("formatPath: a parameter stays one segment of the path", [Schema.String], ([text]) => {
    const address = wellFormed(text)
    const segments = RestOperation.formatPath(walletTransactions, { address }).split("/")
    expect(segments).toHaveLength(5)
    expect(decodeURIComponent(segments[3]!)).toBe(address)
  })
})
