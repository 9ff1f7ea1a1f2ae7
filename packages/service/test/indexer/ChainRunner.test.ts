import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import type { ChainJob } from "../../src/indexer/job/ChainJob.ts"
import * as ChainRunner from "../../src/indexer/ChainRunner.ts"
import * as ChainSession from "../../src/store/ChainSession.ts"
import * as Engine from "../../src/store/Engine.ts"
import { chainOn } from "../store/model.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

const chain = { name: "test", id: 31337 }
const [one, two] = [`0x${"1".repeat(40)}`, `0x${"2".repeat(40)}`] as const

describe("ChainRunner", () => {
  it.effect("run: logs once why a chain cannot be indexed, and reports it as long as it runs", () =>
    Effect.gen(function* () {
      const baseFolder = yield* temporaryFolder
      const database = yield* Engine.fromUrl("sqlite:data", baseFolder)
      const options = { chain, owner: "me", leaseMillis: 0, watch: new Set([one]) }
      yield* Effect.scoped(
        Effect.gen(function* () {
          const session = yield* ChainSession.open(database, options)
          yield* session.holdLease
          yield* session.append(null, chainOn(null, 3))
          yield* session.releaseLease
        }),
      )
      const job: ChainJob = {
        chain: chain.name,
        chainId: chain.id,
        database: "sqlite:data",
        documents: "zstd",
        baseFolder,
        owner: "me",
        config: {
          rpc: ["http://127.0.0.1:1"],
          fromBlock: 0,
          traces: "off",
          allFrames: false,
          labels: {},
          watch: [one, two],
        },
      }
      const lines: Array<string> = []
      const events: Array<string> = []
      const logger = Logger.make(({ message }) => void lines.push(String(message)))
      const fiber = yield* ChainRunner.run(job, ({ _tag }) => Effect.sync(() => void events.push(_tag))).pipe(
        Effect.provide(Logger.layer([logger])),
        Effect.forkChild,
      )
      const status = database.status.read(chain)
      yield* TestClock.adjust(4_999)
      const early = yield* status
      yield* TestClock.adjust(1_001)
      const late = yield* status
      yield* TestClock.adjust(130_000)

      expect(early).toMatchObject({ state: "misconfigured", ageMillis: 4_999 })
      expect(early?.message).toMatch(
        /^The index lacks wallet 0x2+, which "watch" now names: chain-test\.sqlite\. .* --chain test" /,
      )
      expect(late).toMatchObject({ state: "misconfigured", message: early?.message, ageMillis: 1_000 })
      expect(lines).toEqual([`${early?.message} The chain is not indexed; trying again every minute.`])
      expect(events).toEqual(["Misconfigured"])
      expect(yield* status).toMatchObject({ state: "misconfigured", message: early?.message })
      yield* Fiber.interrupt(fiber)
      expect(yield* status).toMatchObject({ state: "stopped" })
    }).pipe(Effect.scoped),
  )
})
