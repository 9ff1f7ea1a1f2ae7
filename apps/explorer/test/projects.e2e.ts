/**
 * Tests that every call, event and error of the scenario's contracts is decoded with the artifacts of a Foundry and of a Hardhat
 * project. The reference is viem with the ABI of the contract that the node ran.
 */
import { Contracts } from "@daybook/chain"
import type { DecodedItem, WalletTransaction } from "@daybook/rest/promise"
import { type Abi, decodeErrorResult, decodeEventLog, decodeFunctionData, getAbiItem, type Hex } from "viem"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as Project from "./Project.ts"
import * as World from "./World.ts"

interface Frame {
  readonly type: string
  readonly to: string
  readonly input: Hex
  readonly output?: Hex
  readonly error?: string
  readonly calls?: ReadonlyArray<Frame>
}

interface NodeTransaction {
  readonly hash: string
  readonly from: string
  readonly to: string | null
  readonly input: Hex
  readonly blockNumber: string
}

const implementationSlot = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"

const below = (frame: Frame): ReadonlyArray<Frame> => [frame, ...(frame.calls ?? []).flatMap(below)]

/** Result of the first ABI with which viem decodes; undefined if there is none. */
const first = <A>(abis: ReadonlyArray<Abi>, decode: (abi: Abi) => A): A | undefined => {
  for (const abi of abis) {
    try {
      return decode(abi)
    } catch {
      // Another ABI may match.
    }
  }
  return undefined
}

/** An item with the names of its parameters, as text. */
const textOf = (name: string | undefined, inputs: ReadonlyArray<{ readonly name?: string | undefined }>): string =>
  `${name}(${inputs.map((input) => input.name ?? "").join(", ")})`

const shownOf = (item: DecodedItem | null | undefined): string =>
  item === null || item === undefined ? "not decoded" : textOf(item.label, item.params)

const allAbis = Contracts.names.map(Project.abiOf)

describe.each(["foundry", "hardhat"] as const)("a project of %s", (project) => {
  let world: World.World
  let abiOf: ReadonlyMap<string, Abi>
  let transactions: ReadonlyArray<NodeTransaction>
  let rows: ReadonlyMap<string, WalletTransaction>

  beforeAll(async () => {
    // One transaction per block, because an implementation is known from the block of its upgrade on.
    world = await World.start({ blocks: 300, size: 1, project })
    const { contracts } = world.scenario
    abiOf = new Map(
      Object.entries(Project.deployed).map(([name, artifact]) => [
        contracts[name as keyof typeof Project.deployed],
        Project.abiOf(artifact),
      ]),
    )
    const nodeTransactions: Array<NodeTransaction> = []
    for (let number = world.scenario.firstBlock; number <= world.scenario.lastBlock; number++) {
      const parameters = [`0x${number.toString(16)}`, true]
      const block = await world.call<{ transactions: ReadonlyArray<NodeTransaction> }>(
        "eth_getBlockByNumber",
        parameters,
      )
      nodeTransactions.push(...block.transactions)
    }
    transactions = nodeTransactions
    const read = new Map<string, WalletTransaction>()
    for (const address of Object.values(world.scenario.accounts)) {
      for await (const row of world.rest.walletTransactionsStream({ address })) read.set(row.hash, row)
    }
    rows = read
  })
  afterAll(() => world?.close())

  /** ABIs with which a contract is decoded at a block: its own, that of its implementation, and then all others of the project. */
  const abisAt = async (address: string, block: string): Promise<ReadonlyArray<Abi>> => {
    const contractAbi = abiOf.get(address)
    if (contractAbi === undefined) return allAbis
    const word = await world.call<string>("eth_getStorageAt", [address, implementationSlot, block])
    const implementation = abiOf.get(`0x${word.slice(-40)}`)
    return [contractAbi, ...(implementation === undefined ? [] : [implementation]), ...allAbis]
  }

  it("every call of a function in a scenario contract is decoded with that contract's ABI", async () => {
    const wrong: Array<string> = []
    let calls = 0
    for (const { blockNumber, hash, input, to } of transactions) {
      if (to === null || input.length < 10 || !abiOf.has(to)) continue
      const expected = first(await abisAt(to, blockNumber), (abi) => {
        const { functionName } = decodeFunctionData({ abi, data: input })
        const item = getAbiItem({ abi, name: input.slice(0, 10) })
        return textOf(functionName, "inputs" in item! ? item.inputs : [])
      })
      if (expected === undefined) continue
      calls++
      const shown = shownOf(rows.get(hash)?.decoded_call)
      if (shown !== expected) wrong.push(`${hash}: expected ${expected}, received ${shown}`)
    }

    console.log(`${project}: ${calls} calls`)
    expect(wrong).toEqual([])
    expect(calls).toBeGreaterThan(100)
  })

  it("every event is decoded with the ABI of the contract that emitted it", async () => {
    const wrong: Array<string> = []
    let events = 0
    for (const { blockNumber, hash } of transactions) {
      const { logs } = await world.call<{
        readonly logs: ReadonlyArray<{ address: string; data: Hex; topics: [Hex, ...Array<Hex>]; logIndex: string }>
      }>("eth_getTransactionReceipt", [hash])
      for (const { address, data, logIndex, topics } of logs) {
        const expected = first(await abisAt(address, blockNumber), (abi) => {
          const { eventName } = decodeEventLog({ abi, data, topics })
          const item = getAbiItem({ abi, name: topics[0] })
          return textOf(eventName, "inputs" in item! ? item.inputs : [])
        })
        events++
        const log = rows.get(hash)?.logs.find((one) => one.log_index === Number(logIndex))
        const shown = shownOf(log?.decoded_event)
        if (shown !== expected) wrong.push(`${hash} ${logIndex}: expected ${expected}, received ${shown}`)
      }
    }

    console.log(`${project}: ${events} events`)
    expect(wrong).toEqual([])
    expect(events).toBeGreaterThan(100)
  })

  it("every custom error of a call is named with its parameters", async () => {
    const wrong: Array<string> = []
    let errors = 0
    for (const { hash } of transactions) {
      const root = await world.call<Frame>("debug_traceTransaction", [hash, { tracer: "callTracer" }])
      for (const { error, output = "0x", to } of below(root)) {
        if (error === undefined || output.length < 10) continue
        const expected = first(allAbis, (abi) => {
          const { abiItem, errorName } = decodeErrorResult({ abi, data: output })
          return textOf(errorName, "inputs" in abiItem ? abiItem.inputs : [])
        })
        // No ABI contains Error(string) and Panic(uint256).
        if (expected === undefined || /^(Error|Panic)\(/.test(expected)) continue
        errors++
        const query = new URLSearchParams({ chain: "eth", error: `${to}:${output}` })
        const response = await fetch(`${world.url}/api/v2.2/names?${query}`, { headers: { "x-api-key": world.apiKey } })
        const { result } = (await response.json()) as {
          readonly result: { readonly errors: Array<DecodedItem | null> }
        }
        const shown = shownOf(result.errors[0])
        if (shown !== expected) wrong.push(`${hash}: expected ${expected}, received ${shown}`)
      }
    }

    console.log(`${project}: ${errors} errors`)
    expect(wrong).toEqual([])
    expect(errors).toBeGreaterThan(0)
  })

  it("a proxy: calls before and after an upgrade are decoded with the implementation of their block", () => {
    const { contracts } = world.scenario
    const names = transactions
      .filter(({ to }) => to === contracts.proxy)
      .map(({ hash }) => shownOf(rows.get(hash)?.decoded_call))
    const upgrade = names.findIndex((name) => name.startsWith("upgradeTo"))

    expect(names.slice(0, upgrade)).toContain("increment(by)")
    expect(names.slice(upgrade)).toContain("increment(halfBy)")
  })
})
