import { Eventually } from "@daybook/harness"
import { RpcError } from "@daybook/rpc/RpcError"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger, Result } from "effect"
import type { Project } from "../../src/contract/ArtifactFolder.ts"
import * as ContractCode from "../../src/contract/ContractCode.ts"
import * as ContractKeeper from "../../src/contract/ContractKeeper.ts"
import * as CreatedContracts from "../../src/contract/CreatedContracts.ts"
import type { Node } from "../../src/node/Node.ts"
import * as Engine from "../../src/store/Engine.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

const chain = { name: "eth", id: 1 }

const addressOf = (number: number) => `0x${number.toString(16).padStart(40, "0")}`

const implementation = "ab".repeat(20)

const code = `0x363d3d373d3d3d363d73${implementation}5af43d82803e903d91602b57fd5bf3`

/** A node on which each contract is a minimal proxy. */
const node: Pick<Node, "batch" | "head"> = {
  head: Effect.succeed({ number: 1, hash: "0x01", parentHash: "0x00", timestamp: 1 }),
  batch: (calls) => Effect.succeed(calls.map(({ method }) => Result.succeed(method === "eth_getCode" ? code : "0x"))),
}

const project = (count: number): Project => ({
  deployed: Array.from({ length: count }, (_, at) => ({ address: addressOf(at + 1), name: `Proxy${at}`, items: [] })),
  pack: [],
  codes: [],
})

const pack = { type: "event", name: "Sent", inputs: [] } as const

/** A project with an artifact that each contract of the node is recognised by. */
const recognising: Project = {
  deployed: [],
  pack: [],
  codes: [{ name: "Proxy", items: [], pattern: ContractCode.fromArtifact({ deployedBytecode: code })! }],
}

/** Reads a project that changes no more. */
const readOnce = (first: Project): (() => Promise<Project | null>) => {
  let next: Project | null = first
  return () => {
    const read = next
    next = null
    return Promise.resolve(read)
  }
}

/** Transactions that create contracts. */
const creationsOf = (first: number, count: number) =>
  Array.from({ length: count }, (_, at) => {
    return { body: JSON.stringify({ receipt_contract_address: addressOf(first + at) }), internal: null }
  })

const refused = new RpcError({
  method: "eth_getCode",
  host: "127.0.0.1:8545",
  code: -32000,
  message: "header not found",
  kind: "internal",
  requestId: undefined,
})

const within = { withinMillis: 5_000 }

const logged: Array<string> = []
const logger = Logger.make(({ message }) => void logged.push(String(message)))

describe("ContractKeeper", () => {
  it.live("run: follows the proxies of all contracts, even of more than one turn covers, while the chain grows", () =>
    Effect.gen(function* () {
      const { contracts } = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
      const projects = [{ folder: "project", read: () => Promise.resolve(project(600)) }]
      let blocks = 0
      const growing = {
        ...node,
        head: Effect.suspend(() => Effect.map(node.head, (head) => ({ ...head, hash: `0x${++blocks}` }))),
      }
      yield* Effect.forkScoped(ContractKeeper.run({ chain, node: growing, contracts, projects, pauseMillis: 1 }))
      const followed = Effect.map(
        contracts.list(chain),
        (all) => all.filter(({ implementations }) => implementations[0]?.address === `0x${implementation}`).length,
      )
      yield* Eventually.untilEffect(Effect.map(followed, (count) => count === 600))

      expect(yield* followed).toBe(600)
    }),
  )

  it.live(
    "run: follows each contract once in a round, and all again after a new head or a change by another process",
    () =>
      Effect.gen(function* () {
        const { contracts } = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
        const puts: Array<number> = []
        const removes: Array<number> = []
        let revisions = 0
        let hash = "0x01"
        const addresses = new Set<unknown>()
        const rounds: Array<Array<unknown>> = [[]]
        const observed: typeof node = {
          head: Effect.suspend(() => Effect.map(node.head, (head) => ({ ...head, hash }))),
          batch: (calls, options) => {
            const codes = calls.filter(({ method }) => method === "eth_getCode")
            rounds.at(-1)!.push(codes.length)
            for (const { params } of codes) addresses.add(params?.[0])
            return node.batch(calls, options)
          },
        }
        const counted: typeof contracts = {
          ...contracts,
          put: (of, list) =>
            Effect.andThen(
              Effect.sync(() => puts.push(list.length)),
              contracts.put(of, list),
            ),
          remove: (of, keys) =>
            Effect.andThen(
              Effect.sync(() => removes.push(keys.length)),
              contracts.remove(of, keys),
            ),
          revision: (of) =>
            Effect.andThen(
              Effect.sync(() => revisions++),
              contracts.revision(of),
            ),
        }
        const projects = [{ folder: "project", read: () => Promise.resolve({ ...project(600), pack: [pack] }) }]
        yield* Effect.forkScoped(
          ContractKeeper.run({ chain, node: observed, contracts: counted, projects, pauseMillis: 1 }),
        )
        /** Waits for a whole round, and some turns after it. */
        const roundDone = Effect.gen(function* () {
          yield* Eventually.untilEffect(Effect.sync(() => rounds.at(-1)!.length === 3))
          const after = revisions + 8
          yield* Eventually.untilEffect(Effect.sync(() => revisions >= after))
        })
        yield* roundDone
        rounds.push([])
        hash = "0x02"
        yield* roundDone
        rounds.push([])
        yield* contracts.put(chain, [
          { ...ContractKeeper.contractsOf("other", project(600))[599]!, address: addressOf(700) },
        ])
        yield* roundDone

        expect(rounds).toEqual([
          [256, 256, 88],
          [256, 256, 88],
          [256, 256, 89],
        ])
        expect(addresses.size).toBe(601)
        expect([puts, removes]).toEqual([[601, 256, 256, 88, 1], []])
        expect(logged.filter((message) => message.startsWith("Contracts of project"))).toEqual([
          "Contracts of project: 600 named, 1 functions, events and errors",
        ])
      }).pipe(Effect.provide(Logger.layer([logger]))),
  )

  it.live("run: follows nothing on a chain with only packs, and makes no requests to the node without contracts", () =>
    Effect.gen(function* () {
      const { contracts } = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
      let isDescribed = false
      let turns = 0
      const observed: typeof node = {
        head: Effect.suspend(() => (isDescribed ? node.head : Effect.die(new Error("nothing to follow")))),
        batch: () => Effect.die(new Error("nothing to read")),
      }
      const read = () => {
        isDescribed = ++turns >= 4
        return Promise.resolve(isDescribed ? { ...project(0), pack: [pack] } : project(0))
      }
      const before = logged.length
      yield* Effect.forkScoped(
        ContractKeeper.run({ chain, node: observed, contracts, projects: [{ folder: "packs", read }], pauseMillis: 1 }),
      )
      yield* Eventually.untilEffect(Effect.sync(() => turns >= 8))

      expect(logged.slice(before)).toEqual(["Contracts of packs: 0 named, 1 functions, events and errors"])
    }).pipe(Effect.provide(Logger.layer([logger]))),
  )

  it.live("run: continues after a folder could not be read, and logs it once", () =>
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

  it.live("run: continues after a read that throws, and logs it once", () =>
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

  for (const [which, folders] of [
    ["that folder", [recognising, project(0)]],
    ["a later one", [project(0), recognising]],
  ] as const) {
    it.live(`run: recognises contracts created before a folder became unreadable, by ${which}`, () =>
      Effect.gen(function* () {
        const { contracts } = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
        const created = yield* CreatedContracts.make
        let isUnreadable = false
        const [readFirst, readSecond] = folders.map(readOnce)
        const read = () => {
          if (!isUnreadable) return readFirst!()
          isUnreadable = false
          return Promise.reject(new Error("permission denied"))
        }
        const projects = [
          { folder: "first", read },
          { folder: "second", read: readSecond! },
          { folder: "third", read: readOnce(project(1)) },
        ]
        const listed = Effect.map(contracts.list(chain), (all) => all.map(({ address }) => address))
        yield* Effect.forkScoped(ContractKeeper.run({ chain, node, contracts, created, projects, pauseMillis: 1 }))
        yield* Eventually.untilEffect(Effect.map(listed, ({ length }) => length === 1))
        isUnreadable = true
        yield* created.take(creationsOf(2, 1))
        yield* Eventually.untilEffect(
          Effect.map(listed, ({ length }) => length === 2),
          within,
        )

        expect(new Set(yield* listed)).toEqual(new Set([addressOf(1), addressOf(2)]))
      }),
    )
  }

  it.live("run: recognises created contracts if the store fails after a project was read", () =>
    Effect.gen(function* () {
      const { contracts } = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
      const created = yield* CreatedContracts.make
      yield* created.take(creationsOf(1, 1))
      let lists = 0
      const failing: typeof contracts = {
        ...contracts,
        list: (of) => (++lists === 1 ? Effect.die(new Error("disk is full")) : contracts.list(of)),
      }
      const projects = [{ folder: "project", read: readOnce(recognising) }]
      yield* Effect.forkScoped(
        ContractKeeper.run({ chain, node, contracts: failing, created, projects, pauseMillis: 1 }),
      )
      yield* Eventually.untilEffect(
        Effect.map(contracts.list(chain), ({ length }) => length === 1),
        within,
      )

      expect((yield* contracts.list(chain)).map(({ name }) => name)).toEqual(["Proxy"])
    }),
  )

  it.live(
    "run: compares what the folder has stored, and then what was created, the newest last, once artifacts change",
    () =>
      Effect.gen(function* () {
        const { contracts } = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
        const stored = (address: string | null, source: string) => {
          return { address, name: "Before", source, abi: "[]", implementations: [] }
        }
        const [first, second, third, fourth] = [1, 2, 3, 4].map(addressOf) as [string, string, string, string]
        yield* contracts.put(chain, [
          stored(first, "project"),
          stored(second, "command"),
          stored(third, "project"),
          stored(null, "project"),
        ])
        const created = yield* CreatedContracts.make
        yield* created.take([...creationsOf(4, 1), ...creationsOf(3, 1)])
        const batches: Array<ReadonlyArray<unknown>> = []
        const observed: typeof node = {
          ...node,
          batch: (calls, options) => {
            batches.push(calls.map(({ params }) => params?.[0]))
            return node.batch(calls, options)
          },
        }
        // Only the first turn reads changed artifacts.
        const projects = [{ folder: "project", read: readOnce(recognising) }]
        yield* Effect.forkScoped(
          ContractKeeper.run({ chain, node: observed, contracts, created, projects, pauseMillis: 1 }),
        )
        const named = Effect.map(contracts.list(chain), (all) =>
          Object.fromEntries(all.map(({ address, name }) => [String(address), name])),
        )
        yield* Eventually.untilEffect(
          Effect.map(named, (names) => names[fourth] === "Proxy"),
          within,
        )

        const fifth = addressOf(5)
        yield* created.take(creationsOf(5, 1))
        yield* Eventually.untilEffect(
          Effect.map(named, (names) => names[fifth] === "Proxy"),
          within,
        )

        expect(batches[0]).toEqual([first, fourth, third])
        expect(batches.find((addresses) => addresses.includes(fifth))).toEqual([fifth])
        expect(yield* named).toEqual({
          [first]: "Proxy",
          [second]: "Before",
          [third]: "Proxy",
          [fourth]: "Proxy",
          [fifth]: "Proxy",
        })
      }),
  )

  it.live("run: compares a contract again if the node did not return its code", () =>
    Effect.gen(function* () {
      const { contracts } = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
      const created = yield* CreatedContracts.make
      yield* created.take(creationsOf(1, 2))
      const batches: Array<ReadonlyArray<unknown>> = []
      const refusing: typeof node = {
        ...node,
        batch: (calls, options) =>
          batches.push(calls.map(({ params }) => params?.[0])) > 1
            ? node.batch(calls, options)
            : Effect.map(node.batch(calls, options), ([first]) => [first!, Result.fail(refused)]),
      }
      const projects = [{ folder: "project", read: readOnce(recognising) }]
      yield* Effect.forkScoped(
        ContractKeeper.run({ chain, node: refusing, contracts, created, projects, pauseMillis: 1 }),
      )
      yield* Eventually.untilEffect(
        Effect.map(contracts.list(chain), ({ length }) => length === 2),
        within,
      )

      expect((yield* contracts.list(chain)).map(({ name }) => name)).toEqual(["Proxy", "Proxy"])
      const [first, second] = [1, 2].map(addressOf)
      expect(batches.slice(0, 3)).toEqual([[first, second], [first, first, first], [second]])
    }),
  )

  it.live("run: names a contract by the current artifacts, and reads no descriptions if none has a code", () =>
    Effect.gen(function* () {
      const { contracts } = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
      const created = yield* CreatedContracts.make
      yield* created.take(creationsOf(1, 1))
      let lists = 0
      let turns = 0
      const compared = new Set<unknown>()
      const counting: typeof contracts = {
        ...contracts,
        list: (of) => Effect.suspend(() => (lists++, contracts.list(of))),
      }
      const observed: typeof node = {
        ...node,
        batch: (calls, options) => {
          for (const { params } of calls) compared.add(params?.[0])
          return node.batch(calls, options)
        },
      }
      let next: Project | null = recognising
      const read = () => {
        const found = next
        next = null
        turns++
        return Promise.resolve(found)
      }
      yield* Effect.forkScoped(
        ContractKeeper.run({
          chain,
          node: observed,
          contracts: counting,
          created,
          pauseMillis: 1,
          projects: [{ folder: "project", read }],
        }),
      )
      const named = Effect.map(contracts.list(chain), (all) => all.map(({ name }) => name))
      const becomes = (...names: ReadonlyArray<string>) =>
        Eventually.untilEffect(Effect.map(named, (all) => all.join() === names.join()))
      yield* becomes("Proxy")
      next = { ...recognising, codes: recognising.codes.map((one) => ({ ...one, name: "Other", items: [] })) }
      yield* becomes("Other")
      next = { ...recognising, codes: [] }
      yield* becomes()
      const turnsPass = Effect.suspend(() => {
        const last = turns + 3
        return Eventually.untilEffect(Effect.sync(() => turns >= last))
      })
      yield* turnsPass
      const before = lists
      yield* created.take(creationsOf(2, 1))
      yield* Eventually.untilEffect(Effect.sync(() => compared.has(addressOf(2))))
      yield* turnsPass

      expect(lists).toBe(before)
    }),
  )

  it.live("run: keeps the newest 10,000 contracts that were recognised", () =>
    Effect.gen(function* () {
      const { contracts } = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
      const created = yield* CreatedContracts.make
      yield* created.take(creationsOf(1, 10_000))
      const projects = [{ folder: "project", read: readOnce(recognising) }]
      const listed = Effect.map(contracts.list(chain), (all) => new Set(all.map(({ address }) => address)))
      yield* Effect.forkScoped(ContractKeeper.run({ chain, node, contracts, created, projects, pauseMillis: 1 }))
      yield* Eventually.untilEffect(Effect.map(listed, ({ size }) => size === 10_000))
      yield* created.take(creationsOf(10_001, 1))
      yield* Eventually.untilEffect(Effect.map(listed, (addresses) => addresses.has(addressOf(10_001))))

      const addresses = yield* listed
      expect([addresses.size, addresses.has(addressOf(1))]).toEqual([10_000, false])
    }),
  )

  it.live(
    "run: keeps the ABI that a file states of a contract, whose code has its name, and logs one that replaces another",
    () =>
      Effect.gen(function* () {
        const { contracts } = yield* Engine.fromUrl("sqlite:data", yield* temporaryFolder)
        const created = yield* CreatedContracts.make
        yield* created.take(creationsOf(1, 1))
        const deployedAt = (number: number) => [{ address: addressOf(number), name: "Proxy", items: [pack] }]
        let next: Project | null = { ...recognising, deployed: deployedAt(1) }
        let turns = 0
        const read = () => {
          const found = next
          next = null
          turns++
          return Promise.resolve(found)
        }
        const projects = [{ folder: "moved", read }]
        const before = logged.length
        yield* Effect.forkScoped(ContractKeeper.run({ chain, node, contracts, created, projects, pauseMillis: 1 }))
        yield* Eventually.untilEffect(Effect.sync(() => turns >= 3))
        const first = yield* contracts.list(chain)
        next = { ...project(0), deployed: deployedAt(2) }
        yield* Eventually.untilEffect(Effect.map(contracts.list(chain), ([one]) => one?.address === addressOf(2)))
        const last = turns + 2
        yield* Eventually.untilEffect(Effect.sync(() => turns >= last))

        expect(first.map(({ abi, address }) => [address, abi])).toEqual([[addressOf(1), JSON.stringify([pack])]])
        expect(logged.slice(before)).toEqual([
          "Contracts of moved: 1 named, 0 functions, events and errors",
          "Contracts of moved: 1 named, 0 functions, events and errors",
        ])
      }).pipe(Effect.provide(Logger.layer([logger]))),
  )
})
