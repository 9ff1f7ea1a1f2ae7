/**
 * Determines the implementation of a proxy from block to block, from the slots of EIP-1967, the code of EIP-1167, the beacon of EIP-1967,
 * and the logs with which proxies and beacons announce upgrades.
 *
 * Source: EIP-1167; EIP-1967; decision 0059.
 */
import type { Call } from "@daybook/rpc/Method"
import type { CallError } from "@daybook/rpc/RpcError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { Node } from "../node/Node.ts"
import { isDefinite } from "../node/NodeEndpoint.ts"
import type { NodeError } from "../node/NodeError.ts"
import type * as CallBatch from "../node/CallBatch.ts"
import type { Contract, Implementation } from "../store/Contracts.ts"

/** keccak256("eip1967.proxy.implementation") - 1, and likewise for a beacon. */
const implementationSlot = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbcn
const beaconSlot = 0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50n
/** Topic of Upgraded(address). */
const upgraded = "0xbc7cd75a20ee27fd9adebab32041f755214dbc6bffa90cc0225b39da2e5c2d3b"
/** Selector of implementation(). */
const implementationCall = "0x5c60da1b"

/** Code of a minimal proxy, optionally followed by arguments. */
const minimalProxy = /^0x(?:3d602d80600a3d3981f3)?363d3d373d3d3d363d73([0-9a-f]{40})5af43d82803e903d91602b57fd5bf3/

const zero = "0x0000000000000000000000000000000000000000"

/** Address in a word of storage, a topic or a result; `undefined` for none. */
const addressIn = (word: unknown): string | undefined => {
  if (typeof word !== "string" || !/^0x[0-9a-fA-F]*$/.test(word)) return undefined
  const address = `0x${word.slice(2).padStart(64, "0").slice(-40).toLowerCase()}`
  return address === zero ? undefined : address
}

const succeeded = (result: Result.Result<unknown, unknown> | undefined): unknown =>
  result !== undefined && Result.isSuccess(result) ? result.success : undefined

/** Kinds of errors of a node without the block or its state, after which the contract remains undetermined. */
const lacking: ReadonlySet<string> = new Set(["notFound", "pruned"])

/** True for a result, or for an error caused by the contract or by a node without the method. */
const isReceived = (result: Result.Result<unknown, CallError> | undefined): boolean => {
  if (result === undefined) return false
  if (Result.isSuccess(result)) return true
  const { failure } = result
  return isDefinite(failure) && failure._tag === "RpcError" && !lacking.has(failure.kind)
}

/** Kind of a contract at the head of the chain. */
interface Kind {
  readonly address: string
  /** Its current implementation; `undefined` if it is not a proxy. */
  readonly implementation: string | undefined
  /** The contract that announces its upgrades; `undefined` if it cannot be upgraded. */
  readonly announcer: string | undefined
}

const anyResult = () => true

const send = (
  node: Pick<Node, "batch">,
  calls: ReadonlyArray<Call>,
  block: number,
  isResult = isDefinite,
): Effect.Effect<CallBatch.Results, NodeError> =>
  calls.length === 0 ? Effect.succeed([]) : node.batch(calls, { what: "read proxies", block, isResult })

/** Kinds of contracts, except those with a missing response. */
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
  const beacons = addresses.map((_, at) => addressIn(succeeded(results[at * 3 + 2])))
  const asked = [...new Set(beacons.flatMap((beacon) => beacon ?? []))]
  const answers = yield* send(
    node,
    asked.map((to): Call => ({ method: "eth_call", params: [{ to, data: implementationCall }, "latest"] })),
    block,
  )
  return addresses.flatMap((address, at): ReadonlyArray<Kind> => {
    const own = results.slice(at * 3, at * 3 + 3)
    if (!own.every(isReceived)) return []
    const [code, slot] = own.map(succeeded)
    const minimal = minimalProxy.exec(String(code))?.[1]
    if (minimal !== undefined) return [{ address, implementation: `0x${minimal}`, announcer: undefined }]
    const implementation = addressIn(slot)
    const beacon = beacons[at]
    if (implementation !== undefined || beacon === undefined)
      return [{ address, implementation, announcer: implementation && address }]
    const answer = answers[asked.indexOf(beacon)]
    return isReceived(answer) ? [{ address, implementation: addressIn(succeeded(answer)), announcer: beacon }] : []
  })
})

interface UpgradeLog {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly blockNumber: bigint
}

/** Upgrades announced by proxies and beacons, earliest first; none if the node does not return them. */
const upgradesOf = Effect.fnUntraced(function* (
  node: Pick<Node, "batch">,
  announcers: ReadonlyArray<string>,
  block: number,
): Effect.fn.Return<ReadonlyMap<string, ReadonlyArray<Implementation>>, NodeError> {
  const found = new Map<string, Array<Implementation>>()
  if (announcers.length === 0) return found
  const filter = { fromBlock: 0, toBlock: "latest", address: announcers, topics: [upgraded] } as const
  const [logs] = yield* send(node, [{ method: "eth_getLogs", params: [filter] }], block, anyResult)
  // Sound: the client has decoded the logs.
  for (const { address, blockNumber, topics } of (succeeded(logs) ?? []) as ReadonlyArray<UpgradeLog>) {
    const implementation = addressIn(topics[1])
    if (implementation === undefined) continue
    const own = found.get(address) ?? []
    own.push({ from: Number(blockNumber), address: implementation })
    found.set(address, own)
  }
  return found
})

/** History of a proxy: its announcements, or what was known, if that leads to the current implementation; otherwise only the current one. */
const historyOf = (
  { announcer, implementation }: Kind,
  upgrades: ReadonlyMap<string, ReadonlyArray<Implementation>>,
  known: ReadonlyArray<Implementation>,
): ReadonlyArray<Implementation> => {
  if (implementation === undefined) return []
  const histories = [upgrades.get(announcer ?? "") ?? [], known]
  return (
    histories.find((history) => history.at(-1)?.address === implementation) ?? [{ from: 0, address: implementation }]
  )
}

/**
 * Reads the code at each address in hex, at the head; undefined if it was not received.
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
  return Effect.map(send(node, calls, block, anyResult), (results) =>
    results.map(succeeded).map((code) => (typeof code === "string" ? code : undefined)),
  )
}

/**
 * Reads the implementations of contracts, by address; none for a contract that is not a proxy. Contracts with a missing response are
 * omitted.
 *
 * **Errors**
 * - `NodeError`: no node responds.
 */
export const read = Effect.fnUntraced(function* (
  node: Pick<Node, "batch">,
  contracts: ReadonlyArray<Pick<Contract, "address" | "implementations">>,
  block: number,
): Effect.fn.Return<ReadonlyMap<string, ReadonlyArray<Implementation>>, NodeError> {
  const known = new Map(
    contracts.flatMap(({ address, implementations }) =>
      address === null ? [] : [[address, implementations] as const],
    ),
  )
  const kinds = yield* kindsOf(node, [...known.keys()], block)
  const announcers = [...new Set(kinds.flatMap(({ announcer }) => announcer ?? []))]
  const upgrades = yield* upgradesOf(node, announcers, block)
  return new Map(kinds.map((kind) => [kind.address, historyOf(kind, upgrades, known.get(kind.address) ?? [])]))
})
