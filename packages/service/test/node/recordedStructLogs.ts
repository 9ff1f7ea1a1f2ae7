/** Struct logs of a node and the frames that its own call tracer returned, in a file next to the tests. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { brotliCompressSync, brotliDecompressSync } from "node:zlib"
import type * as StructLogFrames from "../../src/node/StructLogFrames.ts"

/** Transactions of a block. */
export interface Recorded {
  readonly traced: ReadonlyArray<StructLogFrames.Traced>
  /** State before the block, by kind and address. */
  readonly state: ReadonlyArray<readonly [key: string, value: bigint]>
  readonly frames: unknown
}

const file = join(import.meta.dirname, "structLogs.json.br")

/** Number of stack words that an instruction may read, plus one. */
const topWords = 8

const toJson = (key: string, value: unknown): unknown => {
  if (typeof value === "bigint") return `${value}n`
  return key === "stack" && Array.isArray(value) ? value.slice(-topWords) : value
}

const fromJson = (_: string, value: unknown): unknown =>
  typeof value === "string" && /^\d+n$/.test(value) ? BigInt(value.slice(0, -1)) : value

export const write = (all: ReadonlyArray<Recorded>): void =>
  writeFileSync(file, brotliCompressSync(JSON.stringify(all, toJson)))

export const read = (): ReadonlyArray<Recorded> =>
  JSON.parse(brotliDecompressSync(readFileSync(file)).toString(), fromJson)
