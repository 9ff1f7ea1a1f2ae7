/** The store of one chain under a lease that outlives the benchmark. */
import { join } from "node:path"
import { Effect } from "effect"
import type { BlockRef, BlockRows } from "../../../packages/service/src/block/BlockRows.ts"
import type { EngineOptions } from "../../../packages/service/src/store/Database.ts"
import * as Engine from "../../../packages/service/src/store/Engine.ts"

/** The chain of the benchmark. */
export const chain = { name: "bench", id: 31337 }

const leaseMillis = 3_600_000

/** Opens the store of a database; closed with the scope. */
export const openDatabase = Effect.fnUntraced(function* (url: string, options: EngineOptions = {}) {
  const engine = yield* Engine.fromUrl(url, "/", options)
  const { reader, writer: openWriter } = engine.chain(chain)
  const writer = yield* openWriter()
  const token = (yield* engine.leases.acquire(chain, "bench", leaseMillis))!
  return {
    reader,
    append: (expected: BlockRef | null, blocks: ReadonlyArray<BlockRows>) => writer.append(expected, blocks, token),
    unwind: (expected: BlockRef, to: BlockRef) => writer.unwind(expected, to, token),
  }
})

/** Opens the store that the service keeps in `<folder>/data`; closed with the scope. */
export const open = Effect.fnUntraced(function* (folder: string, options: EngineOptions = {}) {
  const store = yield* openDatabase(`sqlite:${join(folder, "data")}`, options)
  return { ...store, file: join(folder, "data", "chain-bench.sqlite") }
})

export type LeasedStore = Effect.Success<ReturnType<typeof openDatabase>>
