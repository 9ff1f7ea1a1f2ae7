import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Config from "../../src/config/Config.ts"
import * as ServedChain from "../../src/config/ServedChain.ts"
import * as IndexedChain from "../../src/query/IndexedChain.ts"
import * as IndexedStatement from "../../src/signed/IndexedStatement.ts"
import * as Engine from "../../src/store/Engine.ts"
import { chainOf, type Ledger, token } from "../server/rest/ledgers.ts"
import * as Rows from "../server/rows.ts"
import * as TestStore from "../store/TestStore.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

const open = { _tag: "Open" } as const

/** The statement of alice by an index with her ledgers, of which every block is final. */
const read = Effect.fnUntraced(function* (ledgers: Readonly<Record<number, Ledger>>) {
  const config = yield* Effect.fromResult(
    Config.decode({ listen: "127.0.0.1:0", database: "sqlite:data", chains: { eth: { rpc: ["http://127.0.0.1:9"] } } }),
  )
  const database = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
  const { blocks, projections } = chainOf(ledgers, 2)
  const store = yield* TestStore.open(database, { name: "eth", id: 1 }, { watch: null, projections })
  yield* store.append(null, blocks)
  yield* store.finalize(1)
  const [served] = yield* Effect.fromResult(ServedChain.fromChains(config.chains))
  const chain = IndexedChain.fromDatabase(database)(served!)
  return yield* IndexedStatement.read({ chain, wallet: Rows.alice, range: { from: open, to: open } })
})

const ids = (count: number): Ledger => ({
  0: Array.from({ length: count }, (_, at) => ({ kind: "erc1155", asset: token, tokenId: String(at), amount: 1n })),
})

describe("IndexedStatement", () => {
  it.effect("read: states no more assets than are compared with the chain", () =>
    Effect.gen(function* () {
      const tooLong = yield* Effect.flip(read({ 1: ids(20_000) }))
      const short = yield* Effect.flip(read({ 1: ids(1) }))

      expect(tooLong).toMatchObject({ _tag: "StatementTooLong", what: "assets", max: 20_000 })
      expect(short).toMatchObject({ _tag: "OpeningUnknown", asset: "native" })
    }),
  )
})
