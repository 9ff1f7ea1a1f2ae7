/**
 * Which implementation a proxy had, from block to block: by the slots of EIP-1967, the code of EIP-1167, the beacon of EIP-1967, and the
 * logs by which proxies and beacons announce an upgrade.
 *
 * Source: EIP-1167; EIP-1967; decision 0059.
 */
import type { Call } from "@daybook/rpc/Method"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Node } from "../node/Node.ts"
import type { NodeError } from "../node/NodeError.ts"
import type { Implementation } from "../store/Contracts.ts"

/** keccak256("eip1967.proxy.implementation") - 1, and the same of a beacon. */
const implementationSlot = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbcn
const beaconSlot = 0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50n
/** Topic of Upgraded(address). */
const upgraded = "0xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b"
/** Selector of implementation(). */
const implementationCall = "0x5c60da1b"

/** The code of a minimal proxy, also of one with arguments behind it. */
const minimalProxy = /^0x(?:3d602d80600a3d3981f3)?363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3/

const zero = "0x0000000000000000000000000000000000000000"

/** The address in a word of storage, of a topic or of a result; `undefined` for none. */
const addressIn = (word: unknown): string | undefined => {
  if (typeof word !== "string" || !/^0x[0-9a-fA-F]*$/.test(word)) return undefined
  const address = `0x${word.slice(2).padStart(64, "0").slice(-40).toLowerCase()}`
  return address === zero ? undefined : address
}

const succeeded = (result: Result.Result<unknown, unknown> | undefined): unknown =>
  result !== undefined && Result.isSuccess(result) ? result.success : undefined

/** What a contract is at the head of the chain. */
interface Kind {
  readonly address: string
  /** Its present implementation; `undefined` where it is no proxy. */
  readonly implementation: string | undefined
  /** Who announces its upgrades; `undefined` where it cannot be upgraded. */
  readonly announcer: string | undefined
}

const anyResult = () => true

/** Sends calls, and gives the results of those that succeed. */
const send = (node: Pick<Node, "batch">, calls: ReadonlyArray<Call>, block: number) =>
  calls.length === 0
    ? Effect.succeed([])
    : Effect.map(node.batch(calls, { what: "read proxies", block, isResult: anyResult }), (results) =>
        results.map(succeeded),
      )

const kindsOf = Effect.fnUntraced(function* (
  node: Pick<Node, "batch">,
  addresses: ReadonlyArray<string>,
  block: number,
): Effect.fn.Return<ReadonlyArray<Kind>, NodeError> {
  const calls = addresses.flatMap((address): ReadonlyArray<Call> => [
    { method: "eth_getCode", params: [address, "latest"] },
    { method: "eth_getStorageAt", params: [address, implementationSlot, "latest"] },
    { method: "eth_getStorageAt", params: [address, beaconSlot, "latest"] },
  ])
  const results = yield* send(node, calls, block)
  const beacons = addresses.map((_, at) => addressIn(results[at * 3 + 2]))
  const asked = [...new Set(beacons.flatMap((beacon) => beacon ?? []))]
  const answers = yield* send(
    node,
    asked.map((to): Call => ({ method: "eth_call", params: [{ to, data: implementationCall }, "latest"] })),
    block,
  )
  return addresses.map((address, at): Kind => {
    const minimal = minimalProxy.exec(String(results[at * 3]))?.[1]
    if (minimal !== undefined) return { address, implementation: `0x${minimal}`, announcer: undefined }
    const own = addressIn(results[at * 3 + 1])
    const beacon = beacons[at]
    if (own !== undefined || beacon === undefined) return { address, implementation: own, announcer: own && address }
    return { address, implementation: addressIn(answers[asked.indexOf(beacon)]), announcer: beacon }
  })
})

interface UpgradeLog {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly blockNumber: bigint
}

/** Upgrades that proxies and beacons have announced, the earliest first; none where the node refuses the range. */
const upgradesOf = Effect.fnUntraced(function* (
  node: Pick<Node, "batch">,
  announcers: ReadonlyArray<string>,
  block: number,
): Effect.fn.Return<ReadonlyMap<string, ReadonlyArray<Implementation>>, NodeError> {
  const found = new Map<string, Array<Implementation>>()
  if (announcers.length === 0) return found
  const filter = { fromBlock: 0, toBlock: "latest", address: announcers, topics: [upgraded] } as const
  const [logs] = yield* send(node, [{ method: "eth_getLogs", params: [filter] }], block)
  // Sound: the client has decoded the logs.
  for (const { address, blockNumber, topics } of (logs ?? []) as ReadonlyArray<UpgradeLog>) {
    const implementation = addressIn(topics[1])
    if (implementation === undefined) continue
    const own = found.get(address) ?? []
    own.push({ from: Number(blockNumber), address: implementation })
    found.set(address, own)
  }
  return found
})

/** The history of a proxy: what it announced, if that leads to what it has now, else what it has now. */
const historyOf = (
  { announcer, implementation }: Kind,
  upgrades: ReadonlyMap<string, ReadonlyArray<Implementation>>,
): ReadonlyArray<Implementation> => {
  if (implementation === undefined) return []
  const announced = upgrades.get(announcer ?? "") ?? []
  return announced.at(-1)?.address === implementation ? announced : [{ from: 0, address: implementation }]
}

/**
 * The code at each address in hex, at the head; undefined where it was not received.
 *
 * **Errors**
 * - `NodeError`: no node responds.
 */
export const readCodes = (
  node: Pick<Node, "batch">,
  addresses: ReadonlyArray<string>,
  block: number,
): Effect.Effect<ReadonlyArray<string | undefined>, NodeError> => {
  const calls = addresses.map((address): Call => ({ method: "eth_getCode", params: [address, "latest"] }))
  return Effect.map(send(node, calls, block), (results) =>
    results.map((code) => (typeof code === "string" ? code : undefined)),
  )
}

/**
 * Implementations of contracts, by address; none for one that is no proxy.
 *
 * **Errors**
 * - `NodeError`: no node responds.
 */
export const read = Effect.fnUntraced(function* (
  node: Pick<Node, "batch">,
  addresses: ReadonlyArray<string>,
  block: number,
): Effect.fn.Return<ReadonlyMap<string, ReadonlyArray<Implementation>>, NodeError> {
  const kinds = yield* kindsOf(node, addresses, block)
  const announcers = [...new Set(kinds.flatMap(({ announcer }) => announcer ?? []))]
  const upgrades = yield* upgradesOf(node, announcers, block)
  return new Map(kinds.map((kind) => [kind.address, historyOf(kind, upgrades)]))
})
