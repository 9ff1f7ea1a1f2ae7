/** Compares sentences of recorded transactions with the movements that the ledger derives from their receipts. */
import * as RecordedReceipts from "@daybook/harness/RecordedReceipts"
import { describe as suite, expect, it } from "vitest"
import { type Described, describe, issuesOf, shareOf, textOf } from "./sentences.ts"

const chosen = RecordedReceipts.all().map(describe)
const ofBlocks = RecordedReceipts.ofBlocks().map(describe)

const wrong = (all: ReadonlyArray<Described>): ReadonlyArray<string> =>
  all.flatMap((one) =>
    issuesOf(one).map((issue) => `${one.hash} ${one.sentence === null ? "" : textOf(one.sentence)}: ${issue}`),
  )

suite("sentences of recorded transactions", () => {
  it("name only amounts, tokens, parties and directions of movements, and omit nothing that the sender exchanged", () => {
    expect(wrong([...chosen, ...ofBlocks])).toEqual([])
  })

  it("are rejected by the comparison if an amount, a party, a direction or a part of an exchange differs", () => {
    const one = ofBlocks.find(({ sentence }) => sentence?.action === "swap")!
    const { action, parts } = one.sentence!
    const change = (change: (part: (typeof parts)[number]) => typeof part) =>
      issuesOf({ ...one, sentence: { action, parts: parts.map(change) } })

    expect(issuesOf(one)).toEqual([])
    expect(change((part) => (part._tag === "Amount" ? { ...part, amount: part.amount + 1n } : part))).toHaveLength(2)
    expect(change((part) => (part._tag === "Address" ? { ...part, address: "0x00" } : part))).toHaveLength(1)
    expect(
      change((part) => (part._tag === "Words" && part.text === "Swapped " ? { ...part, text: "Bought " } : part)),
    ).toHaveLength(1)
    expect(issuesOf({ ...one, sentence: { action, parts: parts.slice(0, 2) } })).toHaveLength(1)
  })

  it("exist for at least four of five chosen transactions of six chains, and nine of ten of whole blocks", () => {
    const [few, many] = [shareOf(chosen), shareOf(ofBlocks)]

    expect(few.transactions + many.transactions).toBeGreaterThan(400)
    expect(new Set(chosen.filter(({ sentence }) => sentence !== null).map(({ chain }) => chain)).size).toBe(6)
    expect(few.sentences / few.transactions).toBeGreaterThan(0.84)
    expect(few.beyondCalls / few.transactions).toBeGreaterThan(0.78)
    expect(many.sentences / many.transactions).toBeGreaterThan(0.89)
  })
})
