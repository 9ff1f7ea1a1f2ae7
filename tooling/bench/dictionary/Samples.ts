/**
 * Documents on which a dictionary is trained and measured: those of the recorded chain, and those of recorded blocks of public chains
 * where they lie beside the repository.
 */
import { existsSync, readFileSync } from "node:fs"
import { resolve } from "node:path"
import { gunzipSync } from "node:zlib"
import { Result } from "effect"
import * as Schema from "effect/Schema"
import * as RpcMethod from "../../../packages/schema/src/RpcMethod.ts"
import * as Decoder from "../../../packages/service/src/decode/Decoder.ts"
import * as BlockAssembler from "../../../packages/service/src/indexer/BlockAssembler.ts"
import type { TransactionRow } from "../../../packages/service/src/store/BlockRows.ts"
import * as RecordedRows from "../growth/RecordedRows.ts"

const recordedBlocks = resolve(import.meta.dirname, "../../../../shared/blocks/whole-blocks.jsonl.gz")

interface RecordedBlock {
  readonly block: unknown
  readonly receipts: unknown
}

/** Documents of public chains; none where no recorded blocks lie beside the repository. */
const recorded = (): ReadonlyArray<TransactionRow> => {
  if (!existsSync(recordedBlocks)) return []
  const decoder = Decoder.make()
  const decodeBlock = Schema.decodeUnknownSync(RpcMethod.resultOf("eth_getBlockByNumber", ["0x0", true]))
  const decodeReceipts = Schema.decodeUnknownSync(RpcMethod.all.eth_getBlockReceipts.result)
  const lines = gunzipSync(readFileSync(recordedBlocks)).toString().trim().split("\n")
  return lines.flatMap((line) => {
    const { block, receipts } = JSON.parse(line) as RecordedBlock
    try {
      const responses = {
        block: decodeBlock(block) as BlockAssembler.Responses["block"],
        receipts: decodeReceipts(receipts) ?? [],
        traces: null,
      }
      return Result.getOrThrow(BlockAssembler.assemble(responses, { decoder, checks: "links" })).transactions
    } catch {
      // A recording without a field that rows need is no sample.
      return []
    }
  })
}

/** Samples by where they come from. */
export interface Samples {
  readonly recorded: ReadonlyArray<TransactionRow>
  readonly scenario: ReadonlyArray<TransactionRow>
}

export const load = async (): Promise<Samples> => ({
  recorded: recorded(),
  scenario: (await RecordedRows.load()).flatMap(({ transactions }) => transactions),
})
