import { expect, it } from "vitest"
import { topics } from "../../src/ledger/TokenLogs.ts"
import * as TokenTopics from "../../src/discovery/TokenTopics.ts"

it("fromAddress: pads an address to the 32 bytes of a topic", () => {
  expect(TokenTopics.fromAddress(`0x${"ab".repeat(20)}`)).toBe(`0x${"00".repeat(12)}${"ab".repeat(20)}`)
})

it("filters: match events that name a wallet in any position", () => {
  const wallet = TokenTopics.fromAddress(`0x${"ab".repeat(20)}`)
  const found = TokenTopics.filters([wallet])

  expect(found.map((filter) => filter.length)).toEqual([2, 3, 4])
  expect(found.map((filter) => filter[0]?.includes(topics.consecutiveTransfer))).toEqual([false, true, true])
  expect(found.map((filter) => filter.at(-1))).toEqual([[wallet], [wallet], [wallet]])
})
