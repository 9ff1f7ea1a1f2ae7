/** The columns of a checkpoint that change with the index, and the checkpoint that readers see. Pure. */
import type { Checkpoint } from "../../block/BlockRows.ts"
import { toHex } from "./Bytes.ts"
import * as WatchedWallets from "./WatchedWallets.ts"

/** The columns; those of the blocks are `null` while the index is empty. */
export interface Columns {
  readonly first: number | null
  readonly number: number | null
  readonly hash: Uint8Array | null
  readonly timestamp: number | null
  readonly finalized: number | null
  /** The watched wallets, as `WatchedWallets` writes them; `null` for all. */
  readonly watch: string | null
  readonly serial: number
}

/** The checkpoint; `null` while the index is empty. */
export const toCheckpoint = ({
  finalized,
  first,
  hash,
  number,
  timestamp,
  watch,
}: Omit<Columns, "serial">): Checkpoint | null =>
  number === null
    ? null
    : {
        // Sound: they are set together with the number.
        first: first!,
        head: { number, hash: toHex(hash!) },
        headTimestamp: timestamp!,
        finalized,
        ...WatchedWallets.toCheckpoint(watch),
      }
