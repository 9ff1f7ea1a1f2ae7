/** Blocks without transactions whose hashes are derived from their numbers. */
import type { HydratedBlock } from "@daybook/schema/Block"
import * as fixture from "./fixture.ts"

/** The hash of a block of a branch. */
export const hashOf = (number: number, branch = 0): string =>
  `0x${(branch * 1e6 + number).toString(16).padStart(64, "0")}`

/** A child of the block with the previous number, with some fields replaced. */
export const emptyBlock = (number: number, fields: object = {}): HydratedBlock =>
  fixture.block({
    number: `0x${number.toString(16)}`,
    hash: hashOf(number),
    parentHash: hashOf(number - 1),
    transactions: [],
    gasUsed: "0x0",
    ...fields,
  })
