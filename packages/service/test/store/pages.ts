/** Pages of a wallet in a database of contract tests, as a request reads them, without HTTP. */
import { Effect, Result } from "effect"
import * as ChainRegistry from "../../src/config/ChainRegistry.ts"
import * as Config from "../../src/config/Config.ts"
import * as ServedChain from "../../src/config/ServedChain.ts"
import * as WalletTransactions from "../../src/projection/WalletTransactions.ts"
import * as IndexedChain from "../../src/query/IndexedChain.ts"
import * as WalletPage from "../../src/query/WalletPage.ts"
import { sourceOf } from "../../src/query/WalletTransactions.ts"
import * as OperationRoute from "../../src/server/rest/OperationRoute.ts"
import * as PageRequest from "../../src/server/rest/PageRequest.ts"
import type { Database } from "../../src/store/Database.ts"
import { wallets } from "./model.ts"
import { ref } from "./TestDatabase.ts"

const config = Result.getOrThrow(
  Config.decode({
    listen: { host: "127.0.0.1", port: 0 },
    database: "sqlite:data",
    chains: { [ref.name]: { id: ref.id, rpc: ["https://node.example"] } },
  }),
)

const source = { ...WalletTransactions.projection, kind: "appearances" } as const

/**
 * Reads pages of a wallet; returns the hashes of their rows and the next cursor. `within` runs in the snapshot of each page, after the
 * read of its checkpoint.
 */
export const pagesOf = (database: Database, within: Effect.Effect<void> = Effect.void) => {
  const chains = Result.getOrThrow(ServedChain.fromChains(config.chains)).map(IndexedChain.fromDatabase(database))
  const find = ChainRegistry.finderWithDefault(chains)
  const read = WalletPage.make(sourceOf(source, () => within))
  return Effect.fnUntraced(function* (query: PageRequest.Parameters) {
    const { chain, cursor } = yield* Effect.fromResult(OperationRoute.resolve(find, { chain: ref.name, ...query }))
    const options = { chain, cursor, wallet: wallets[0]!, list: "direct", maxLimit: 1_000 } as const
    const resolved = yield* Effect.fromResult(PageRequest.resolve(query, options))
    const page = yield* read({ ...resolved.query, maxBytes: 10_000_000, selection: { internal: false } })
    const { checkpoint } = page.coverage
    return { rows: page.rows, checkpoint, cursor: PageRequest.nextCursor(resolved, page) }
  })
}
