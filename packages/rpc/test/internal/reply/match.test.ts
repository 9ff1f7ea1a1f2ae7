/** Which reply belongs to which call. */
import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  join,
  matchBatch,
  matchSingle,
  type RequestItem,
  type ResponseItem,
} from "../../../src/internal/reply/match.ts"
import { failure, success } from "../../server.ts"
import { hash, transaction } from "../../values.ts"

const call = (id: number): RequestItem => ({ id, method: "eth_chainId", params: [] })

const issueOf = (item: ResponseItem | undefined) => (item !== undefined && "issue" in item ? item.issue : item)

describe("join", () => {
  it.each([
    ["result", "hash", "result.hash"],
    ["result", "[3]", "result[3]"],
    ["result", "", "result"],
    ["", "hash", "hash"],
    ["", "[3]", "[3]"],
  ])("join: a path %j and its member %j are the path %j", (path, member, joined) => {
    expect(join(path, member)).toBe(joined)
  })
})

describe("matchSingle", () => {
  it("matchSingle: returns the result of the reply with the id of the call", () => {
    expect(matchSingle(success(1, "0x2a"), call(1))).toEqual({ _tag: "Value", value: "0x2a", isBare: false })
  })

  it.each([2, "1", null, undefined])("matchSingle: rejects a result with the id %j", (id) => {
    expect(issueOf(matchSingle(success(id, "0x2a"), call(1)))).toMatchObject({
      path: "id",
      expected: "1, the id of the call",
    })
  })

  it.each([1, null, undefined])("matchSingle: accepts an error with the id %j", (id) => {
    expect(matchSingle(failure(id, 3, "reverted"), call(1))._tag).toBe("Error")
  })

  it("matchSingle: gives an error beside a result that is null, and rejects one beside another result", () => {
    expect(matchSingle({ ...failure(1, 3, "reverted"), result: null }, call(1))._tag).toBe("Error")
    expect(matchSingle({ ...failure(1, 3, "reverted"), result: "0x" }, call(1))._tag).toBe("Invalid")
  })

  it.each(["0x2a", null])(
    "matchSingle: takes a null error beside the result %j for none, and a null error alone for no reply",
    (value) => {
      const { result: _, ...alone } = success(1, value)

      expect(matchSingle({ ...success(1, value), error: null }, call(1))).toEqual({
        _tag: "Value",
        value,
        isBare: false,
      })
      expect(issueOf(matchSingle({ ...success(2, value), error: null }, call(1)))).toMatchObject({ path: "id" })
      expect(issueOf(matchSingle({ ...alone, error: null }, call(1)))).toMatchObject({
        path: "error",
        received: "null",
      })
    },
  )

  it("matchSingle: rejects an error with the id of another call", () => {
    expect(issueOf(matchSingle(failure(2, 3, "reverted"), call(1)))).toMatchObject({ path: "id", received: "2" })
  })

  it("matchSingle: reports the path in a malformed error", () => {
    const reply = { jsonrpc: "2.0", id: 1, error: { code: "3", message: "x" } }

    expect(issueOf(matchSingle(reply, call(1)))).toMatchObject({ path: "error.code", received: '"3"' })
  })

  const requested: RequestItem = {
    id: 1,
    method: "eth_getTransactionByBlockHashAndIndex",
    params: [hash("b"), "0x0"],
  }

  it("matchSingle: accepts the requested transaction without an envelope", () => {
    expect(matchSingle(transaction(), requested)).toMatchObject({ _tag: "Value", isBare: true })
  })

  it("matchSingle: rejects another transaction without an envelope", () => {
    expect(issueOf(matchSingle(transaction({ transactionIndex: "0x1" }), requested))).toEqual({
      path: "transactionIndex",
      received: '"0x1"',
      expected: '"0x0", as requested',
    })
  })

  it("matchSingle: rejects an object without an envelope for any other method", () => {
    expect(matchSingle(transaction(), call(1))._tag).toBe("Invalid")
  })
})

describe("matchBatch", () => {
  it("matchBatch: reports how many replies carry an unknown id", () => {
    const [item] = matchBatch([success(7, "0x1"), "text", success(2, "0x1")], [call(1), call(2)])

    expect(issueOf(item)).toEqual({
      path: "reply 1",
      received: "3 replies without it and 2 replies with an unknown id",
      expected: "one reply to each call",
    })
  })

  it("matchBatch: gives an error without an id to every call", () => {
    const items = matchBatch(failure(null, -32003, "batch too large"), [call(1), call(2)])

    expect(items.map(({ _tag }) => _tag)).toEqual(["Error", "Error"])
  })

  it("matchBatch: gives a single result to no call", () => {
    const items = matchBatch(success(1, "0x2a"), [call(1), call(2)])

    expect(items.map(({ _tag }) => _tag)).toEqual(["Invalid", "Invalid"])
  })

  const Change = Schema.Literals(["keep", "drop", "double", "id as text", "other id", "no id"])
  const Changes = Schema.Array(Schema.Struct({ change: Change, position: Schema.Int })).check(Schema.isMinLength(1))

  /** The value that belongs to one call alone. */
  const valueOf = (id: number) => `value of ${id}`

  const changed = (id: number, change: typeof Change.Type): ReadonlyArray<unknown> => {
    const own = success(id, valueOf(id))
    switch (change) {
      case "keep":
        return [own]
      case "drop":
        return []
      case "double":
        return [own, own]
      case "id as text":
        return [{ ...own, id: String(id) }]
      case "other id":
        return [{ ...own, id: -id }]
      case "no id":
        return [{ jsonrpc: "2.0", result: valueOf(id) }]
    }
  }

  it.prop(
    "law: after any permutation, loss and duplication of replies, a call receives its own value or an error",
    [Changes],
    ([changes]) => {
      const calls = changes.map((_, at) => call(at + 1))
      const replies = changes
        .flatMap(({ change, position }, at) => changed(at + 1, change).map((reply) => ({ reply, position })))
        .toSorted((one, other) => one.position - other.position)
        .map(({ reply }) => reply)

      const items = matchBatch(replies, calls)

      for (const [at, item] of items.entries()) {
        if (changes[at]?.change === "keep") expect(item).toMatchObject({ _tag: "Value", value: valueOf(at + 1) })
        else expect(["Missing", "Invalid"]).toContain(item._tag)
      }
    },
  )
})
