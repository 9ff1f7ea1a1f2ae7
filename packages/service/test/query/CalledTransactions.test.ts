/** A search for transactions among many others of a wallet. */
import { describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { expect } from "vitest"
import * as Config from "../../src/config/Config.ts"
import * as ServedChain from "../../src/config/ServedChain.ts"
import * as LedgerCodec from "../../src/ledger/LedgerCodec.ts"
import * as Role from "../../src/ledger/Role.ts"
import * as WalletLedger from "../../src/projection/WalletLedger.ts"
import * as CalledTransactions from "../../src/query/CalledTransactions.ts"
import * as IndexedChain from "../../src/query/IndexedChain.ts"
import * as Engine from "../../src/store/Engine.ts"
import * as Rows from "../server/rows.ts"
import * as TestStore from "../store/TestStore.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

const config = Result.getOrThrow(
  Config.decode({ listen: "127.0.0.1:0", database: "sqlite:data", chains: { eth: { rpc: ["http://127.0.0.1:9"] } } }),
)

const perBlock = 100

/**
 * A chain of alice, who sent a transaction in the first block, and received as many tokens as fit in each later block.
 */
const opened = Effect.fnUntraced(function* (blocks: number) {
  const projection = {
    id: WalletLedger.id,
    kind: "ledger" as const,
    revision: WalletLedger.revision,
    ledger: ({ number }: { readonly number: number }) =>
      LedgerCodec.pack(
        Array.from({ length: number === 0 ? 1 : perBlock }, (_, index) => ({
          index,
          wallet: Rows.alice,
          roles: number === 0 ? Role.bits.sender : Role.bits.token_recipient,
          movements: [],
        })),
      ),
  }
  const database = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
  const store = yield* TestStore.open(database, { name: "eth", id: 1 }, { watch: null, projections: [projection] })
  const plans = Array.from({ length: perBlock }, () => ({ from: Rows.alice, to: Rows.bob }))
  const all = Array.from({ length: blocks }, (_, number) => Rows.block(number, plans))
  yield* Effect.orDie(store.append(null, all))
  const [served] = yield* Effect.fromResult(ServedChain.fromChains(config.chains))
  return IndexedChain.fromDatabase(database)(served!)
})

describe("CalledTransactions", () => {
  it.effect("read: searches each page in a separate turn", () =>
    Effect.gen(function* () {
      const query = { chain: yield* opened(12), wallet: Rows.alice, from: 0, to: 11, order: "DESC", limit: 1 } as const
      let [turns, open] = [0, 0]
      const { documents } = yield* CalledTransactions.read(query, (work) =>
        Effect.acquireUseRelease(
          Effect.sync(() => {
            turns++
            open++
          }),
          () => {
            expect(open).toBe(1)
            return work
          },
          () => Effect.sync(() => void open--),
        ),
      )

      expect(documents.map(({ row }) => row.block)).toEqual([0])
      expect(turns).toBeGreaterThan(3)
    }).pipe(Effect.scoped),
  )
})
