/** Tests of the engine without the service. `Engine.integration.test.ts` includes them, `Engine.mutation.ts` consists of them. */
import { describe } from "@effect/vitest"
import { Effect } from "effect"
import { afterAll, beforeAll } from "vitest"
import { contract } from "../contract.ts"
import { damage } from "./damage.ts"
import { dumpOf } from "./dumpOf.ts"
import * as EmbeddedServer from "./EmbeddedServer.ts"
import { failures } from "./failures.ts"
import { nodes } from "./nodes.ts"
import { oneStatement } from "./oneStatement.ts"
import { replicaReading } from "./replicaReading.ts"
import * as TestServer from "./TestServer.ts"
import { unresponsive } from "./unresponsive.ts"
import { waking } from "./waking.ts"
import { webhooks } from "./webhooks.ts"

const given = process.env["DAYBOOK_TEST_POSTGRES"]

/** URL of the server of a test file: the given one, or one that runs until the tests of the file have ended. */
export const serverOfFile = (): (() => string) => {
  let url = given ?? ""
  let embedded: EmbeddedServer.EmbeddedServer | undefined
  beforeAll(async () => {
    if (given !== undefined) return
    embedded = await EmbeddedServer.start()
    url = embedded.url
  })
  afterAll(async () => {
    await TestServer.removeAll(url)
    await embedded?.stop()
  })
  return () => url
}

/** Registers the tests of the engine on a server. */
export const engine = (server: () => string): void => {
  contract(
    "PostgreSQL",
    Effect.suspend(() =>
      Effect.map(TestServer.emptied(server()), (database) => ({
        connect: TestServer.connect(database.url),
        setClock: (millis) => Effect.asVoid(database.rows(`UPDATE public.test_clock SET millis = ${millis}`)),
        dump: dumpOf(database.rows),
      })),
    ),
    // A part of the suite is sufficient to show that it passes on this version; DAYBOOK_TEST_POSTGRES runs all of it on any other.
    { part: given === undefined ? 0.04 : 1 },
  )

  describe("Engine PostgreSQL", () => {
    failures(server)
    damage(server)
    replicaReading(server)
    nodes(server)
    oneStatement(server)
    unresponsive(server)
    waking(server)
    webhooks(server)
  })
}
