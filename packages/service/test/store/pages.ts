/**
 * Pages of a wallet over a database of the contract: what a request for them reads, without HTTP.
 */
import { Effect, Result } from "effect"
import * as Config from "../../src/config/Config.ts"
import * as ServedChain from "../../src/config/ServedChain.ts"
import * as WalletTransactions from "../../src/projection/WalletTransactions.ts"
import * as IndexedChain from "../../src/server/chain/IndexedChain.ts"
import * as PagedQuery from "../../src/server/rest/PagedQuery.ts"
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

/**
 * Reads pages of a wallet: hashes of their rows, and the cursor of the next one. `within` runs in the snapshot of each page, behind the
 * read of its checkpoint.
 */
export const pagesOf = (database: Database, within: Effect.Effect<void> = Effect.void) => {
  const read = PagedQuery.make({
    chains: Result.getOrThrow(ServedChain.fromChains(config.chains)).map(IndexedChain.fromDatabase(database)),
    maxLimit: 1_000,
    maxBytes: 10_000_000,
    source: PagedQuery.sourceOf(WalletTransactions.projection),
  })
  const request = { key: wallets[0]!, internal: false, guard: () => within }
  return (query: PagedQuery.Parameters) => read({ chain: ref.name, ...query }, request)
}
