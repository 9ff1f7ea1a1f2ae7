import { describe, it } from "@effect/vitest"
import { Eventually, LocalServer } from "@daybook/harness"
import { Effect, Result } from "effect"
import { expect } from "vitest"
import * as Config from "../../../src/config/Config.ts"
import * as ServedChain from "../../../src/config/ServedChain.ts"
import * as IndexedChain from "../../../src/query/IndexedChain.ts"
import * as Turns from "../../../src/server/admission/Turns.ts"
import * as ProofJobs from "../../../src/server/rest/ProofJobs.ts"
import type { Database } from "../../../src/store/Database.ts"
import * as Engine from "../../../src/store/Engine.ts"
import { temporaryFolder } from "../../store/temporaryFolder.ts"

/** A server that is not a node, so that each comparison fails immediately. */
const noNode = LocalServer.scoped(() => LocalServer.start((_, response) => response.writeHead(404).end()))

describe("ProofJobs", () => {
  it.live("start: opens a chain for writing once, as closing it blocks the thread", () =>
    Effect.gen(function* () {
      const database = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
      const { url } = yield* noNode
      const configured = { dev: { id: 31_337, rpc: [url] } }
      const wire = { listen: "127.0.0.1:0", database: "sqlite:data", chains: configured }
      const { chains } = Result.getOrThrow(Config.decode(wire))
      const [served] = Result.getOrThrow(ServedChain.fromChains(chains))
      const chain = IndexedChain.fromDatabase(database)(served!)
      let opened = 0
      const turns = Turns.make(() => performance.now())
      const counted: Pick<Database, "chain"> = {
        chain: (ref) => {
          const store = database.chain(ref)
          return { ...store, proofs: Effect.tap(store.proofs, () => Effect.sync(() => opened++)) }
        },
      }
      const jobs = yield* ProofJobs.make(counted, turns)
      const blocks = {
        first: { number: 0, parentHash: `0x${"00".repeat(32)}` },
        closing: { number: 1, hash: `0x${"11".repeat(32)}` },
      }
      for (const digit of ["a", "b"]) {
        const subject = { chain, wallet: `0x${digit.repeat(40)}`, holder: "key" }
        yield* jobs.start(subject, blocks)
        yield* Eventually.untilEffect(Effect.isFailure(jobs.find(subject)), { everyMillis: 5 })
      }

      expect(opened).toBe(1)
    }),
  )
})
