/** An index for tests of queries: a separate database with blocks, and the chain that reads it. */
import { Effect, Result } from "effect"
import type { BlockRows } from "../../src/block/BlockRows.ts"
import type { Projection } from "../../src/block/Projection.ts"
import * as Config from "../../src/config/Config.ts"
import * as ServedChain from "../../src/config/ServedChain.ts"
import * as IndexedChain from "../../src/query/IndexedChain.ts"
import * as Engine from "../../src/store/Engine.ts"
import * as TestStore from "../store/TestStore.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

const config = Result.getOrThrow(
  Config.decode({ listen: "127.0.0.1:0", database: "sqlite:data", chains: { eth: { rpc: ["http://127.0.0.1:9"] } } }),
)

/** Opens a database with these blocks until the scope ends. */
export const openedChain = Effect.fnUntraced(function* ({
  blocks,
  projections,
}: {
  readonly blocks: ReadonlyArray<BlockRows>
  readonly projections: ReadonlyArray<Projection>
}) {
  const database = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
  const store = yield* TestStore.open(database, { name: "eth", id: 1 }, { watch: null, projections })
  yield* Effect.orDie(store.append(null, blocks))
  const [served] = yield* Effect.fromResult(ServedChain.fromChains(config.chains))
  return { chain: IndexedChain.fromDatabase(database)(served!), store }
})
