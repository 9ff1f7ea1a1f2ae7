/**
 * An archive node of a long chain that serves a recording: the recorded blocks at their numbers, and empty linked blocks between them.
 * It has the state of every block.
 */
import { Effect, Schema } from "effect"
import { Anvil } from "@daybook/chain"
import { HydratedBlock } from "@daybook/schema/Block"
import * as HeaderHash from "../../src/verification/HeaderHash.ts"
import * as server from "../node/server.ts"
import * as BaseFee from "./BaseFee.ts"
import * as LongChain from "./LongChain.ts"
import * as Recording from "./Recording.ts"

type Params = ReadonlyArray<unknown>

const hex = (number: number | bigint) => `0x${number.toString(16)}`

/** The same transaction, log or trace in another block. */
const placed = <A>(value: A, number: number, hash: string): A => {
  // Sound: only the fields that identify the block are replaced.
  if (Array.isArray(value)) return value.map((one: unknown) => placed(one, number, hash)) as A
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).map(([key, own]: [string, unknown]) => {
    if (key === "blockHash") return [key, hash]
    if (key === "blockNumber") return [key, typeof own === "number" ? number : hex(number)]
    return [key, placed(own, number, hash)]
  })
  return Object.fromEntries(entries) as A
}

const decodeBlock = Schema.decodeUnknownSync(HydratedBlock)

/** The hash of a block in the form of the wire. */
const hashOf = (block: Recording.Wire): string => HeaderHash.fromBlock(decodeBlock({ ...block, transactions: [] }))

/** All blocks of a chain. */
interface Chain {
  readonly last: number
  /** Recorded blocks by number. */
  readonly busy: ReadonlyMap<number, Recording.RecordedBlock>
  readonly hashes: ReadonlyMap<string, number>
  readonly blockAt: (number: number) => Recording.WireBlock
}

const chainOf = ({ blocks }: Recording.Recording, last: number): Chain => {
  const template = blocks.get(LongChain.emptyBlock)!.block
  const genesis = blocks.get(0)!.block
  const interval = (Number(template.timestamp) - Number(genesis.timestamp)) / LongChain.emptyBlock
  const busy = new Map<number, Recording.RecordedBlock>()
  /** Header fields in which empty blocks differ. */
  const empty: Array<Recording.Wire> = []
  const hashes = new Map<string, number>()
  let before = genesis
  const blockAt = (number: number): Recording.WireBlock => busy.get(number)?.block ?? { ...template, ...empty[number] }
  for (let number = 0; number <= last; number++) {
    const place = { number: hex(number), parentHash: number === 0 ? genesis["parentHash"] : before.hash }
    const recorded = blocks.get(number)
    if (recorded === undefined) {
      const fields = {
        ...place,
        timestamp: hex(Number(genesis.timestamp) + interval * number),
        baseFeePerGas: hex(BaseFee.next(before)),
        stateRoot: before["stateRoot"],
      }
      empty[number] = { ...fields, hash: hashOf({ ...template, ...fields }) }
    } else {
      const block = { ...recorded.block, ...place }
      const hash = hashOf(block)
      busy.set(number, placed({ ...recorded, block: { ...block, hash } }, number, hash))
    }
    before = blockAt(number)
    hashes.set(before.hash, number)
  }
  return { last, busy, hashes, blockAt }
}

interface LogFilter {
  readonly fromBlock: string
  readonly toBlock: string
  readonly topics?: ReadonlyArray<ReadonlyArray<string> | string | null>
}

const balanceSelector = "0x70a08231"

const failure = (message: string): server.Reply => ({ error: { code: -32000, message } })

const answersOf = (
  chain: Chain,
  { histories }: Recording.Recording,
  forward: server.Fallback,
): Record<string, server.Response> => {
  const { blockAt, busy, hashes, last } = chain
  /** Number of a block parameter; undefined if the chain has no such block. */
  const numberOf = (place: unknown): number | undefined => {
    if (place === "latest") return last
    if (place === "finalized" || place === "safe") return Math.max(0, last - (place === "safe" ? 32 : 64))
    const text = String(place)
    const number = text.length === 66 ? hashes.get(text) : Number(text)
    return number !== undefined && number <= last ? number : undefined
  }
  const ofBlock =
    (read: (number: number, params: Params) => unknown): server.Response =>
    (params) => {
      const number = numberOf(params[0])
      return { result: number === undefined ? null : read(number, params) }
    }
  const stateOf =
    (method: string, absent: string): server.Response =>
    ([subject, place]) => {
      const number = numberOf(place)
      if (number === undefined) return failure(`block ${String(place)} is unknown`)
      const history = histories.get(Recording.keyOf(method, subject))
      return { result: (history && Recording.valueAt(history, number)) ?? absent }
    }
  const isMatch = (topics: ReadonlyArray<string>, filter: NonNullable<LogFilter["topics"]>): boolean =>
    filter.every((wanted, at) => wanted === null || [wanted].flat().includes(topics[at] ?? ""))
  return {
    eth_blockNumber: () => ({ result: hex(last) }),
    eth_getBlockByNumber: ofBlock((number, [, isHydrated]) => {
      const block = blockAt(number)
      return isHydrated === true ? block : { ...block, transactions: block.transactions.map(({ hash }) => hash) }
    }),
    eth_getBlockReceipts: ofBlock((number) => busy.get(number)?.receipts ?? []),
    trace_block: ofBlock((number) => busy.get(number)?.traces ?? []),
    eth_getLogs: ([filter]) => {
      const { fromBlock, toBlock, topics = [] } = filter as LogFilter
      const logsInRange = [...busy].flatMap(([number, { receipts }]) =>
        number >= Number(fromBlock) && number <= Number(toBlock) ? receipts.flatMap(({ logs }) => logs) : [],
      )
      return { result: logsInRange.filter((log) => isMatch(log.topics, topics)) }
    },
    eth_getBalance: stateOf("eth_getBalance", "0x0"),
    eth_getTransactionCount: stateOf("eth_getTransactionCount", "0x0"),
    eth_getCode: stateOf("eth_getCode", "0x"),
    eth_chainId: (params) => forward("eth_chainId", params),
    eth_call: ([call, place]) => {
      const { data, to } = call as { readonly to: string; readonly data: string }
      const isBalance = data.startsWith(balanceSelector)
      const state = stateOf("eth_call", `0x${"0".repeat(64)}`)
      const code = stateOf("eth_getCode", "0x")([to, place])
      if (typeof code !== "object" || !("result" in code) || code.result === "0x") return code
      return isBalance ? state([{ to, data }, place]) : forward("eth_call", [call, "latest"])
    },
  }
}

/** Mines the blocks of a plan that have transactions on an anvil; returns an archive of the whole chain and the recording. */
export const start = Effect.fnUntraced(function* (plan: LongChain.PlannedChain, options: Anvil.Options = {}) {
  // Except for balances, contracts return the same values, such as their names, at all blocks.
  const node = yield* Anvil.make(options)
  const recording = Recording.make(node, plan.tokens)
  yield* LongChain.mineBusy(node, plan, recording.record)
  const answers = answersOf(chainOf(recording, plan.last), recording, server.forward(node.url))
  const archive = yield* server.start(answers)
  return { url: archive.url, calls: archive.calls, recording, answers }
})
