/** Rows of the recorded chain as the indexer builds them: real documents for measuring the store alone. */
import { Effect, Result } from "effect"
import * as Schema from "effect/Schema"
import * as RpcMethod from "../../../packages/schema/src/RpcMethod.ts"
import * as KnownSignatures from "../../../packages/abi/src/KnownSignatures.ts"
import * as BlockAssembler from "../../../packages/service/src/fetch/BlockAssembler.ts"
import type { BlockRows } from "../../../packages/service/src/block/BlockRows.ts"
import * as Replay from "../../../tooling/harness/src/Replay.ts"
import * as RecordedChain from "../indexing/RecordedChain.ts"

/** Rows of a chain with a number of blocks, lowest first. */
export const load = async (blocks: number = RecordedChain.defaultBlocks): Promise<ReadonlyArray<BlockRows>> => {
  const recording = await Effect.runPromise(Replay.load(await RecordedChain.file(blocks)))
  const decoder = KnownSignatures.decoder()
  const block = Schema.decodeUnknownSync(RpcMethod.resultOf("eth_getBlockByNumber", ["0x0", true]))
  const receipts = Schema.decodeUnknownSync(RpcMethod.all.eth_getBlockReceipts.result)
  const flat = Schema.decodeUnknownSync(RpcMethod.all.trace_block.result)
  return recording.blocks.map((text) =>
    Result.getOrThrow(
      BlockAssembler.assemble(
        {
          block: block(JSON.parse(text.hydrated)) as BlockAssembler.Responses["block"],
          receipts: receipts(JSON.parse(text.receipts)) ?? [],
          traces:
            text.flatTraces === undefined ? null : { _tag: "Flat", traces: flat(JSON.parse(text.flatTraces)) ?? [] },
        },
        { decoder },
      ),
    ),
  )
}
