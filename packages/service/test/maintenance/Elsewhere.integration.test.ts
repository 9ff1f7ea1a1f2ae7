/**
 * An index that was made on another machine is adopted: restored, compared with the node by a sample, and indexed
 * further.
 */
import { join } from "node:path"
import { layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Head, Scenario } from "@daybook/chain"
import * as VerifyAgainstNode from "../../src/maintenance/VerifyAgainstNode.ts"
import * as Node from "../../src/node/Node.ts"
import * as Engine from "../../src/store/Engine.ts"
import { caughtUp, chainOf, decoder, openStore, start } from "../indexer/chain.ts"
import * as oracle from "../indexer/oracle.ts"
import * as TestStore from "../store/TestStore.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

vi.setConfig({ testTimeout: 180_000, hookTimeout: 60_000 })

const scenario = Scenario.layer({ blobs: false, blocks: 25 }).pipe(Layer.provideMerge(Anvil.layer()))

layer(scenario, { excludeTestServices: true })("an index made elsewhere", (it) => {
  it.effect("run: is restored from a backup, verified by a sample, and extended at both ends", () =>
    Effect.gen(function* () {
      const node = yield* Anvil.Anvil
      const { addresses, lastBlock } = yield* Scenario.Scenario
      const elsewhere = yield* openStore
      const { ref } = elsewhere
      const first = yield* start(elsewhere, [node.url], { fromBlock: 10 })
      yield* first.until(caughtUp(lastBlock))
      yield* first.stop
      const base = yield* temporaryFolder
      yield* elsewhere.database.backup([ref], join(base, "copy"))
      yield* Head.mine(node, 3)

      const database = yield* Engine.fromUrl(`sqlite:${join(base, "data")}`, base)
      const [restored] = yield* database.restore([ref], join(base, "copy"))
      const connection = yield* Node.make({ urls: [node.url], chainId: ref.id })
      const { audit } = database.chain(ref)
      const compared = yield* VerifyAgainstNode.run(audit, connection, { assembling: { decoder }, sample: 8 })
      const store = yield* TestStore.open(database, ref)
      const second = yield* start(store, [node.url], { fromBlock: 0 })
      yield* second.until((event) => event._tag === "Prepended" && event.first === 0)
      yield* second.stop

      const last = lastBlock + 3
      expect(restored).toMatchObject({ blocks: lastBlock - 9, head: lastBlock })
      expect(compared).toMatchObject({ blocks: 8, ofBlocks: lastBlock - 9, issues: [], failed: [] })
      expect(yield* store.headers(0, last + 9)).toEqual(yield* chainOf(node, last))
      yield* oracle.expectWallets(store, yield* oracle.scan(node, last), addresses)
    }),
  )
})
