import { Eventually } from "@daybook/harness"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger, Result } from "effect"
import type { Project } from "../../src/contract/ArtifactFolder.ts"
import * as ContractKeeper from "../../src/contract/ContractKeeper.ts"
import type { Node } from "../../src/node/Node.ts"
import * as Engine from "../../src/store/Engine.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

const chain = { name: "eth", id: 1 }

const addressOf = (number: number) => `0x${number.toString(16).padStart(40, "0")}`

const implementation = "ab".repeat(20)

/** A node on which each contract is a minimal proxy. */
const node: Pick<Node, "batch" | "head"> = {
  head: Effect.succeed({ number: 1, hash: "0x01", parentHash: "0x00", timestamp: 1 }),
  batch: (calls) =>
    Effect.succeed(
      calls.map(({ method }) =>
        Result.succeed(
          method === "eth_getCode" ? `0x363d3d373d3d3d363d73${implementation}5af43d82803e903d91602b57fd5bf3` : "0x",
        ),
      ),
    ),
}

const project = (count: number): Project => ({
  deployed: Array.from({ length: count }, (_, at) => ({ address: addressOf(at + 1), name: `Proxy${at}`, items: [] })),
  pack: [],
  codes: [],
})

const logged: Array<string> = []
const logger = Logger.make(({ message }) => void logged.push(String(message)))

describe("ContractKeeper", () => {
  it.live("run: follows the proxies of all contracts, also of more than one turn takes", () =>
    Effect.gen(function* () {
      const { contracts } = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
      const projects = [{ folder: "project", read: () => Promise.resolve(project(600)) }]
      yield* Effect.forkScoped(ContractKeeper.run({ chain, node, contracts, projects, pauseMillis: 1 }))
      const followed = Effect.map(
        contracts.list(chain),
        (all) => all.filter(({ implementations }) => implementations[0]?.address === `0x${implementation}`).length,
      )
      yield* Eventually.untilEffect(Effect.map(followed, (count) => count === 600))

      expect(yield* followed).toBe(600)
    }),
  )

  it.live("run: goes on after a folder whose reading was rejected, and logs it once", () =>
    Effect.gen(function* () {
      const { contracts } = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
      let reads = 0
      const read = () => (++reads <= 3 ? Promise.reject(new Error("permission denied")) : Promise.resolve(project(1)))
      const projects = [{ folder: "project", read }]
      yield* Effect.forkScoped(ContractKeeper.run({ chain, node, contracts, projects, pauseMillis: 1 }))
      yield* Eventually.untilEffect(Effect.map(contracts.list(chain), (all) => all.length === 1))

      const warnings = logged.filter((message) => message.includes("permission denied"))
      expect(warnings).toEqual(["Contracts are not up to date: project cannot be read: permission denied"])
    }).pipe(Effect.provide(Logger.layer([logger]))),
  )

  it.live("run: goes on after a read that throws, and logs it once", () =>
    Effect.gen(function* () {
      const { contracts } = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
      let reads = 0
      const throwing: typeof node = {
        ...node,
        head: Effect.suspend(() => (++reads <= 3 ? Effect.die(new TypeError("head is not iterable")) : node.head)),
      }
      const projects = [{ folder: "project", read: () => Promise.resolve(project(1)) }]
      yield* Effect.forkScoped(ContractKeeper.run({ chain, node: throwing, contracts, projects, pauseMillis: 1 }))
      const isFollowed = Effect.map(contracts.list(chain), ([first]) => first?.implementations.length === 1)
      yield* Eventually.untilEffect(isFollowed)

      expect(yield* isFollowed).toBe(true)
      const warnings = logged.filter((message) => message.includes("not iterable"))
      expect(warnings).toEqual(["Contracts are not up to date: head is not iterable"])
    }).pipe(Effect.provide(Logger.layer([logger]))),
  )
})
