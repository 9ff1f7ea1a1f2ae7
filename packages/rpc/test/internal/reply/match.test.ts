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
  ])("join: a path %j and its member %j become the path %j", (path, member, joined) => {
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

  it("matchSingle: returns an error beside a null result, and rejects one beside another result", () => {
    expect(matchSingle({ ...failure(1, 3, "reverted"), result: null }, call(1))._tag).toBe("Error")
    expect(matchSingle({ ...failure(1, 3, "reverted"), result: "0x" }, call(1))._tag).toBe("Invalid")
  })

  it.each(["0x2a", null])(
    "matchSingle: ignores a null error beside the result %j, and treats a null error alone as no reply",
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

  it("matchSingle: rejects a transaction without an envelope as the result of another method", () => {
    const other = { ...requested, method: "eth_getTransactionByBlockNumberAndIndex" }

    expect(matchSingle(transaction(), other)._tag).toBe("Invalid")
  })

  it("matchSingle: rejects another transaction without an envelope", () => {
    expect(issueOf(matchSingle(transaction({ transactionIndex: "0x1" }), requested))).toEqual({
      path: "transactionIndex",
      received: '"0x1"',
      expected: '"0x0", as requested',
    })
  })

  it.each([
    ["blockHash", ["0x1", "0x0"], { blockHash: "0x1" }],
    ["blockHash", [hash("b"), "0x0"], { blockHash: "0x1" }],
    ["transactionIndex", [hash("b"), "latest"], { transactionIndex: "latest" }],
  ])("matchSingle: rejects the %s of a transaction if the requested one is invalid: %j", (path, params, change) => {
    expect(issueOf(matchSingle(transaction(change), { ...requested, params }))).toMatchObject({ path })
  })

  it("matchSingle: does not accept an object as a transaction without hash or sender, with named parameters, or beside an id", () => {
    const { from: _, ...unsigned } = transaction()
    const { hash: __, ...nameless } = transaction()
    const byName = { ...requested, params: { hash: hash("b") } }

    for (const body of [unsigned, nameless, { ...transaction(), id: 1 }]) {
      expect(matchSingle(body, requested)._tag).toBe("Invalid")
    }
    expect(matchSingle(transaction(), byName)._tag).toBe("Invalid")
  })

  it.each([
    [{ error: "down" }, "down"],
    [{ error: "down", message: "try later" }, "down: try later"],
    [{ error: "down", message: 5 }, "down"],
    [{ status: "0", message: "NOTOK", result: "Max rate limit reached" }, "NOTOK: Max rate limit reached"],
    [{ status: 0, message: "NOTOK", result: [] }, "NOTOK"],
    [{ message: "no route" }, "no route"],
    [{ status: "1", message: "OK", result: "0x1" }, undefined],
    [{ jsonrpc: "2.0", status: "0", message: "NOTOK" }, undefined],
    [{ status: "0", message: 5 }, undefined],
    [{ message: "m", result: 1 }, undefined],
    [{ message: "m", error: {} }, undefined],
    [{ message: 5 }, undefined],
  ])("matchSingle: the message of %j is %j", (body, expected) => {
    const item = matchSingle(body, call(1))

    expect(item._tag === "Message" ? item.message : undefined).toBe(expected)
    if (item._tag === "Message") expect(item.issue.path).toBe("body")
  })

  it.each([
    [{ id: 1, result: 1 }, "jsonrpc", "nothing"],
    [{ jsonrpc: "1.0", id: 1, result: 1 }, "jsonrpc", '"1.0"'],
    [{ jsonrpc: "1.0", id: 1, error: { code: 3, message: "m" } }, "jsonrpc", '"1.0"'],
    [{ jsonrpc: "2.0", id: 1 }, "result", "nothing"],
    [{ ...success(1, 1), error: { code: 3, message: "m" } }, "body", "a result and an error at once"],
    [[], "body", "[]"],
    [null, "body", "null"],
  ])("matchSingle: reports the issue of %j", (body, path, received) => {
    expect(issueOf(matchSingle(body, call(1)))).toMatchObject({ path, received })
  })

  it("matchSingle: accepts an error without an envelope", () => {
    expect(matchSingle({ error: { code: 3, message: "m" } }, call(1))._tag).toBe("Error")
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

  it("matchBatch: reports a single unknown id, none, and replies with one id", () => {
    const receivedOf = (...replies: ReadonlyArray<unknown>) =>
      matchBatch(replies, [call(1), call(2)]).map((item) => ("issue" in item ? item.issue.received : item._tag))

    expect(receivedOf(success(7, "0x1"))).toEqual(
      [1, 2].map(() => "1 replies without it and 1 reply with an unknown id"),
    )
    expect(receivedOf(success(2, "0x1"))).toEqual(["1 replies without it", "Value"])
    expect(receivedOf(success(1, 1), success(1, 2), success(1, 3), success(2, 1))).toEqual([
      "3 replies with this id",
      "Value",
    ])
  })

  it("matchBatch: reports an issue within a reply by its id, and a body that is not a list", () => {
    const calls = [call(1), call(2)]
    const issuesOf = (body: unknown) => matchBatch(body, calls).map(issueOf)
    const every = (issue: object) => calls.map(() => issue)

    expect(
      issuesOf([
        { id: 1, result: 1 },
        { ...success(2, 1), error: { code: 3, message: "m" } },
      ]),
    ).toMatchObject([{ path: "reply 1.jsonrpc" }, { path: "reply 2" }])
    const expected = "an array of 2 replies"
    expect(issuesOf("x")).toEqual(every({ path: "body", received: '"x"', expected }))
    expect(issuesOf({ a: 1 })).toEqual(every({ path: "body", received: '{"a":1}', expected }))
    expect(issuesOf(success(1, 1))).toEqual(every({ path: "body", received: "one reply", expected }))
    expect(matchBatch({ message: "no route" }, calls)).toMatchObject(every({ _tag: "Message", message: "no route" }))
  })

  it("matchBatch: returns an error without an id to every call", () => {
    const items = matchBatch(failure(null, -32003, "batch too large"), [call(1), call(2)])

    expect(items.map(({ _tag }) => _tag)).toEqual(["Error", "Error"])
  })

  it("matchBatch: returns a single result to no call", () => {
    const items = matchBatch(success(1, "0x2a"), [call(1), call(2)])

    expect(items.map(({ _tag }) => _tag)).toEqual(["Invalid", "Invalid"])
  })

  const Change = Schema.Literals(["keep", "drop", "double", "id as text", "other id", "no id"])
  const Changes = Schema.Array(Schema.Struct({ change: Change, position: Schema.Int })).check(Schema.isMinLength(1))

  /** The value that belongs to only one call. */
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
