import { describe } from "@effect/vitest"
import { Effect } from "effect"
import { contract } from "../contract.ts"
import { dumpOf } from "./dumpOf.ts"
import * as TestServer from "./TestServer.ts"

const coordinators = process.env["DAYBOOK_TEST_CITUS"]

describe.runIf(coordinators !== undefined)("Citus: skipped where DAYBOOK_TEST_CITUS names no databases", () => {
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
})
