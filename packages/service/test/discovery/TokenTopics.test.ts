import { expect, it } from "vitest"
import * as TokenTopics from "../../src/discovery/TokenTopics.ts"

it("fromAddress: pads an address to the 32 bytes of a topic", () => {
  expect(TokenTopics.fromAddress(`0x${"ab".repeat(20)}`)).toBe(`0x${"00".repeat(12)}${"ab".repeat(20)}`)
})
