import { describe, expect, it } from "vitest"
import { fromTrace } from "../../src/pages/transaction/StateDiff.ts"

const [alice, token] = [`0x${"a".repeat(40)}`, `0x${"b".repeat(40)}`]
const word = (value: number): string => `0x${value.toString(16).padStart(64, "0")}`

describe("StateDiff", () => {
  it("fromTrace: pairs the previous and current values of an account and its slots", () => {
    const diff = fromTrace({
      pre: {
        [alice]: { balance: "0x10", nonce: 3, code: "0x" },
        [token]: { balance: "0x0", storage: { "0x1": word(5) } },
      },
      post: { [alice]: { balance: "0xf", nonce: 4 }, [token]: { storage: { "0x1": word(6), "0x2": word(7) } } },
    })

    expect(diff).toEqual({
      isCut: false,
      changes: [
        { address: alice, slot: null, kind: "balance", before: "16", after: "15" },
        { address: alice, slot: null, kind: "nonce", before: "3", after: "4" },
        { address: token, slot: "0x1", kind: "storage", before: word(5), after: word(6) },
        { address: token, slot: "0x2", kind: "storage", before: word(0), after: word(7) },
      ],
    })
  })

  it("fromTrace: a created account had nothing, and a deleted one has nothing", () => {
    const created = fromTrace({ pre: {}, post: { [token]: { nonce: 1, code: "0x6001" } } })
    const deleted = fromTrace({ pre: { [token]: { balance: "0x1", code: "0x6001" } }, post: {} })

    expect(created?.changes.map(({ after, before, kind }) => [kind, before, after])).toEqual([
      ["nonce", null, "1"],
      ["code", null, "0x6001"],
    ])
    expect(deleted?.changes.map(({ after, before, kind }) => [kind, before, after])).toEqual([
      ["balance", "1", null],
      ["code", "0x6001", null],
    ])
  })

  it("fromTrace: a cleared slot is zero afterwards", () => {
    const diff = fromTrace({ pre: { [token]: { storage: { "0x1": word(5) } } }, post: { [token]: {} } })

    expect(diff?.changes).toEqual([{ address: token, slot: "0x1", kind: "storage", before: word(5), after: word(0) }])
  })

  it("fromTrace: returns null for what is not a diff, and omits malformed parts of one", () => {
    for (const result of [null, [], "0x", {}, { pre: {} }, { [alice]: { balance: "0x1" } }]) {
      expect(fromTrace(result)).toBeUndefined()
    }
    const odd = {
      post: { "<b>": { nonce: 1 }, [alice]: { balance: "ten", nonce: -1, storage: { x: word(1) } } },
      pre: {},
    }
    expect(fromTrace(odd)).toEqual({ changes: [], isCut: false })
  })

  it("fromTrace: shows at most 2,000 changes, and states that there were more", () => {
    const storage = Object.fromEntries(Array.from({ length: 2_001 }, (_, at) => [word(at), word(1)]))
    const diff = fromTrace({ pre: {}, post: { [token]: { storage } } })

    expect([diff?.changes.length, diff?.isCut]).toEqual([2_000, true])
  })
})
