/**
 * Documents on which dictionaries and layouts are measured: those of the recorded chain, and those of whole blocks of public chains from a
 * gzip-compressed file with one JSON object per line, `{ block, receipts }`.
 */
import { readFileSync } from "node:fs"
import { gunzipSync } from "node:zlib"
import { Result } from "effect"
import * as Schema from "effect/Schema"
import * as RpcMethod from "../../../packages/schema/src/RpcMethod.ts"
import * as KnownSignatures from "../../../packages/abi/src/KnownSignatures.ts"
import * as BlockAssembler from "../../../packages/service/src/fetch/BlockAssembler.ts"
import type { BlockRows, TransactionRow } from "../../../packages/service/src/block/BlockRows.ts"
import * as RecordedRows from "../growth/RecordedRows.ts"

interface RecordedBlock {
  readonly block: unknown
  readonly receipts: unknown
}

/** Blocks of public chains; empty without a file. */
export const publicBlocks = (file: string): ReadonlyArray<BlockRows> => {
  if (file === "") return []
  const decoder = KnownSignatures.decoder()
  const decodeBlock = Schema.decodeUnknownSync(RpcMethod.resultOf("eth_getBlockByNumber", ["0x0", true]))
  const decodeReceipts = Schema.decodeUnknownSync(RpcMethod.all.eth_getBlockReceipts.result)
  const lines = gunzipSync(readFileSync(file)).toString().trim().split("\n")
  return lines.flatMap((line) => {
    const { block, receipts } = JSON.parse(line) as RecordedBlock
    try {
      const responses = {
        block: decodeBlock(block) as BlockAssembler.Responses["block"],
        receipts: decodeReceipts(receipts) ?? [],
        traces: null,
      }
      return [Result.getOrThrow(BlockAssembler.assemble(responses, { decoder, checks: "links" }))]
    } catch {
      // A recording that lacks a field required by rows is not a sample.
      return []
    }
  })
}

/** Samples by origin. */
export interface Samples {
  readonly recorded: ReadonlyArray<TransactionRow>
  readonly scenario: ReadonlyArray<TransactionRow>
}

export const load = async (file: string): Promise<Samples> => ({
  recorded: publicBlocks(file).flatMap(({ transactions }) => transactions),
  scenario: (await RecordedRows.load()).flatMap(({ transactions }) => transactions),
})
