/**
 * The row of a block's facts: one compressed text, whose checksum is in the row of the block, so that a missing row is detected. Pure.
 *
 * Source: decisions 0034 and 0044.
 */
import type { BlockRows } from "../../block/BlockRows.ts"
import { StoreError } from "../StoreError.ts"
import type { StoredHeader } from "./BlockRow.ts"
import * as Checksum from "./Checksum.ts"
import * as Dictionaries from "./Dictionaries.ts"
import * as Frame from "./Frame.ts"

/** Columns of a row. */
export type Columns = readonly [block: number, dictionary: number, size: number, frame: Uint8Array]

/** Makes the row of a block's facts; `null` for a block without facts. Pure. */
export const prepare = ({ facts, number }: BlockRows, codec: Frame.Codec): Columns | null => {
  if (facts === undefined) return null
  const bytes = Buffer.from(facts)
  const dictionary = codec === "plain" ? 0 : Dictionaries.facts
  return [number, dictionary, bytes.length, Frame.encode(bytes, dictionary)]
}

/** Bytes of the frame of a row. */
export const bytesOf = ([, , , frame]: Columns): number => frame.length

/** A block with the checksum of its facts. */
export type Header = Pick<StoredHeader, "number" | "factsChecksum">

/** Text of a row, or an error if the row is missing, does not match the checksum in its block, or cannot be decompressed. */
export const read = (name: string, block: Header, columns: Columns | undefined): string | StoreError => {
  if (columns === undefined || Checksum.fromValues(columns) !== block.factsChecksum) {
    return Checksum.damaged(name, block.number, "its facts do not match their checksum")
  }
  const [, dictionary, size, frame] = columns
  try {
    return Frame.decode(frame, size, dictionary).toString()
  } catch {
    return Checksum.damaged(name, block.number, "its facts cannot be decompressed")
  }
}

/** Facts from what was read for a block; `null` if there are none. Throws if they are damaged. */
export const textUnsafe = (found: string | StoreError | undefined): string | null => {
  if (found instanceof StoreError) throw found
  return found ?? null
}
