/**
 * A block that is part of a chain. Pure.
 */
import type { HydratedBlock } from "@daybook/schema/Block"
import type { Hash } from "@daybook/schema/Hash"

/**
 * A block with a number and a hash, and with its transactions.
 */
export type MinedBlock = HydratedBlock & { readonly number: bigint; readonly hash: Hash }

/**
 * False for a pending block.
 */
export const isMined = (block: HydratedBlock): block is MinedBlock => block.number !== null && block.hash !== null

/**
 * Upper limit of transaction indexes. Entries that belong to a block but to none of its transactions have this index.
 */
export const indexLimit = 2 ** 20 - 1
