import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { chainOn } from "../model.ts"
import { ref } from "../TestDatabase.ts"
import * as TestStore from "../TestStore.ts"
import { contract } from "../contract.ts"
import { dumpOf } from "./dumpOf.ts"
import * as TestServer from "./TestServer.ts"

const coordinators = process.env["DAYBOOK_TEST_CITUS"]

describe.runIf(coordinators !== undefined)("Citus: skipped if DAYBOOK_TEST_CITUS names no databases", () => {
  contract(
    "Citus",
    Effect.map(
      Effect.suspend(() => TestServer.distributed(coordinators ?? "")),
      (database) => ({
        connect: TestServer.connect(database.url),
        setClock: (millis) => Effect.asVoid(database.rows(`UPDATE public.test_clock SET millis = ${millis}`)),
        dump: dumpOf(database.rows),
      }),
    ),
    { part: 0.04, hasSnapshots: false },
  )

  describe("nodes", () => {
    it.live(
      "snapshot: states how many nodes hold the rows of a chain, and its transactions have a shard on each or two",
      () =>
        Effect.gen(function* () {
          const { rows, url } = yield* TestServer.distributed(coordinators ?? "")
          const store = yield* TestStore.open(yield* TestServer.connect(url), ref)
          yield* store.append(null, chainOn(null, 2))
          const nodes = yield* TestServer.nodeCount(url)

          expect(yield* store.snapshot((snapshot) => snapshot.nodes)).toBe(nodes)
          expect(
            yield* rows("SELECT shard_count FROM citus_tables WHERE table_name = 'daybook_test.document'::regclass"),
          ).toEqual([{ shard_count: BigInt(Math.max(2, nodes)) }])
        }),
    )
  })
})
