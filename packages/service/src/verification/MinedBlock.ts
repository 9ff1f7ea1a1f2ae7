/**
 * A block that is part of a chain. Pure.
 */
import type { HydratedBlock } from "@daybook/schema/Block"
import type { Hash } from "@daybook/schema/Hash"

/**
 * A block with a number and a hash, which holds its transactions.
 */
export type MinedBlock = HydratedBlock & { readonly number: bigint; readonly hash: Hash }

/**
 * False for a pending block.
 */
export const isMined = (block: HydratedBlock): block is MinedBlock => block.number !== null && block.hash !== null

/**
 * Limit of the indexes of transactions. What belongs to a block and to none of its transactions has this index.
 */
export const indexLimit = 2 ** 20 - 1
