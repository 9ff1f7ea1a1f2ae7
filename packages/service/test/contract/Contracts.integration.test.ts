import { mkdirSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { Anvil } from "@daybook/chain"
import { Eventually } from "@daybook/harness"
import { layer } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { expect, vi } from "vitest"
import * as Config from "../../src/config/Config.ts"
import * as Service from "../../src/Service.ts"
import { request } from "../server/service.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 })

interface Artifact {
  readonly abi: ReadonlyArray<{ readonly name?: string; readonly inputs?: ReadonlyArray<{ name: string }> }>
  readonly bytecode: string
}

const artifact = (name: string): Artifact =>
  createRequire(import.meta.url)(`../../../../tooling/chain/artifacts/${name}.json`) as Artifact

/** The artifact with another name for the first parameter of `increment`. */
const renamed = (name: string, parameter: string): Artifact => {
  const { abi, bytecode } = structuredClone(artifact(name))
  const increment = abi.find((item) => item.name === "increment")
  increment!.inputs![0]!.name = parameter
  return { abi, bytecode }
}

const word = (hex: string): string => hex.replace("0x", "").padStart(64, "0")
const increment = (by: number): string => `0x7cf5dab0${word(by.toString(16))}`
const upgradeTo = (address: string): string => `0x3659cfe6${word(address)}`

const write = (path: string, value: unknown): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, JSON.stringify(value))
}

/** Deploys a counter behind a proxy, uses it, upgrades it and uses it again. */
const scenario = Effect.gen(function* () {
  const node = yield* Anvil.Anvil
  const from = node.accounts[0]!
  const send = Effect.fnUntraced(function* (transaction: object) {
    const hash = yield* node.call<string>("eth_sendTransaction", [{ from, gas: "0x1e8480", ...transaction }])
    const receipt = node.call<{ contractAddress: string } | null>("eth_getTransactionReceipt", [hash])
    yield* Eventually.untilEffect(Effect.map(receipt, (found) => found !== null))
    return (yield* receipt)!
  })
  const deploy = Effect.fnUntraced(function* (name: string, argument = "") {
    const { contractAddress } = yield* send({ data: `${artifact(name).bytecode}${argument}` })
    return contractAddress.toLowerCase()
  })
  const first = yield* deploy("Counter")
  const second = yield* deploy("DoubleCounter")
  const proxy = yield* deploy("Proxy", word(first))
  yield* send({ to: proxy, data: increment(1) })
  yield* send({ to: proxy, data: upgradeTo(second) })
  yield* send({ to: proxy, data: increment(2) })
  return { node, from, proxy, first, second }
})

interface Item {
  readonly label: string
  readonly params: ReadonlyArray<{ readonly name: string }>
}

interface Row {
  readonly to_address_label: string | null
  readonly decoded_call: Item | null
  readonly logs: ReadonlyArray<{ readonly decoded_event: Item | null }>
}

const summaryOf = ({ decoded_call: call, logs, to_address_label: label }: Row) => [
  label,
  call?.label,
  call?.params[0]?.name,
  ...logs.map((log) => log.decoded_event?.label),
]

const eventually = <A, E, R>(actual: Effect.Effect<A, E, R>, expected: A) => {
  let last: A | undefined
  const isEqual = Effect.map(actual, (value) => {
    last = value
    return JSON.stringify(value) === JSON.stringify(expected)
  })
  return Effect.catchTag(Eventually.untilEffect(isEqual, { everyMillis: 50 }), "ConditionNotMet", () =>
    Effect.sync(() => expect(last).toEqual(expected)),
  )
}

layer(Anvil.layer({ autoMine: true }), { excludeTestServices: true })("contracts of a watched project", (it) => {
  it.effect(
    "calls through a proxy are decoded by the ABI that it had at the block, and change when the project does",
    () =>
      Effect.gen(function* () {
        const { first, from, node, proxy, second } = yield* scenario
        const base = yield* temporaryFolder
        write(join(base, "project/out/Upgradeable.sol/Counter.json"), renamed("Counter", "before"))
        write(join(base, "project/out/Upgradeable.sol/DoubleCounter.json"), renamed("DoubleCounter", "after"))
        write(join(base, "project/out/Upgradeable.sol/Proxy.json"), artifact("Proxy"))
        const created = { Proxy: proxy, Counter: first, DoubleCounter: second }
        write(join(base, `project/broadcast/Deploy.s.sol/${node.chainId}/run-latest.json`), {
          transactions: Object.entries(created).map(([contractName, contractAddress]) => {
            return { transactionType: "CREATE", contractName, contractAddress }
          }),
        })
        const config = yield* Effect.fromResult(
          Config.decode({
            listen: {
              host: "127.0.0.1",
              port: 0,
            },
            database: "sqlite:data",
            limits: { drainIdleMillis: 1 },
            chains: {
              local: {
                id: node.chainId,
                rpc: [node.url],
                artifacts: ["project"],
              },
            },
          }),
        )
        const { address, keys } = yield* Service.run(config, { baseFolder: base })
        const key = Redacted.value((yield* keys.add({ name: "test", operator: false, empty: null }))!)
        const page = Effect.map(
          request(`${address!.url}/api/v2.2/${from}/verbose?order=ASC&chain=local`, { headers: { "x-api-key": key } }),
          ({ json }) => ((json.result ?? []) as ReadonlyArray<Row>).map(summaryOf),
        )
        const increments = Effect.map(page, (rows) => [rows[3], rows[5]])

        yield* eventually(increments, [
          ["Proxy", "increment", "before", "Incremented"],
          ["Proxy", "increment", "after", "Incremented"],
        ])
        write(join(base, "project/out/Upgradeable.sol/DoubleCounter.json"), renamed("DoubleCounter", "changed_since"))
        yield* eventually(increments, [
          ["Proxy", "increment", "before", "Incremented"],
          ["Proxy", "increment", "changed_since", "Incremented"],
        ])
      }).pipe(Effect.scoped),
  )

  it.effect("a call that no ABI decodes is decoded by the directory of signatures that the configuration names", () =>
    Effect.gen(function* () {
      const { from, node } = yield* scenario
      const base = yield* temporaryFolder
      writeFileSync(join(base, "signatures.txt"), "increment(uint256 by)\n")
      const config = yield* Effect.fromResult(
        Config.decode({
          listen: { host: "127.0.0.1", port: 0 },
          database: "sqlite:data",
          signatures: "signatures.txt",
          limits: { drainIdleMillis: 1 },
          chains: { local: { id: node.chainId, rpc: [node.url] } },
        }),
      )
      const { address, keys } = yield* Service.run(config, { baseFolder: base })
      const key = Redacted.value((yield* keys.add({ name: "test", operator: false, empty: null }))!)
      const calls = Effect.map(
        request(`${address!.url}/api/v2.2/${from}/verbose?order=DESC&chain=local`, { headers: { "x-api-key": key } }),
        ({ json }) => ((json.result ?? []) as ReadonlyArray<Row>).slice(0, 1).map(summaryOf),
      )
      yield* eventually(calls, [[null, "increment", "by", undefined]])
    }).pipe(Effect.scoped),
  )
})
