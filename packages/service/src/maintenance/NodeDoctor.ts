/**
 * Examines one node: what would be indexed from it, how fast, and what it lacks, with remedies. Bounded in time; stores nothing.
 *
 * Source: decision 0037.
 */
import type { InvalidOption } from "@daybook/transport/ClientError"
import type { Fetch } from "@daybook/transport/Fetch"
import * as Chain from "@daybook/schema/Chain"
import * as KnownSignatures from "@daybook/abi/KnownSignatures"
import { visibleStart } from "@daybook/schema/VisibleText"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as NodeConfig from "../config/NodeConfig.ts"
import type { TransactionRow } from "../block/BlockRows.ts"
import * as Deviation from "../block/Deviation.ts"
import * as BlockFetcher from "../fetch/BlockFetcher.ts"
import * as Throughput from "../indexer/Throughput.ts"
import * as MonotonicClock from "../supervision/MonotonicClock.ts"
import * as Node from "../node/Node.ts"
import * as NodeEndpoint from "../node/NodeEndpoint.ts"
import * as NodeProbe from "../node/NodeProbe.ts"
import * as HashRules from "../verification/HashRules.ts"
import * as RuleDetection from "../fetch/RuleDetection.ts"

/**
 * How to examine a node.
 */
export interface Options {
  readonly node: NodeConfig.NodeConfig
  /** Chain that the node must belong to, by its EIP-155 id. Default: any. */
  readonly chainId?: number
  /** First block to index. Default 0. */
  readonly fromBlock?: number
  /** Maximum duration of the examination, in milliseconds. Default 60,000. */
  readonly timeoutMillis?: number
  /** Default: the platform's. */
  readonly fetch?: Fetch | undefined
}

/**
 * The result of an examination.
 */
export interface Examined {
  readonly host: string
  readonly findings: ReadonlyArray<NodeProbe.Finding>
}

type Finding = NodeProbe.Finding

const defaultTimeoutMillis = 60_000

/** Time and blocks of the measurement of the rate. */
const rateMillis = 5_000
const rateBlocks = 48
const newestBlocks = 64
const rateConcurrency = 8

const nameOf = (chainId: number): string => Chain.all.find(({ id }) => id === BigInt(chainId))?.name ?? "unlisted"

const versionOf = Effect.fnUntraced(function* ({ limiter }: NodeEndpoint.NodeEndpoint): Effect.fn.Return<Finding> {
  const name = "client"
  const found = yield* NodeProbe.ask(limiter.request({ method: "web3_clientVersion" }), "return its version")
  const text = Result.isSuccess(found) ? visibleStart(String(found.success), 120) : "unknown"
  return { name, grade: "good", text }
})

const chainOf = (found: number, expected: number | undefined): Finding => {
  const text = `${found} (0x${found.toString(16)}), ${nameOf(found)}`
  if (expected === undefined || expected === found) return { name: "chain id", grade: "good", text }
  const remedy = "Correct the URL of the node or the id of the chain."
  return { name: "chain id", grade: "missing", text: `${text}: expected ${expected}`, remedy }
}

const staleSeconds = 3_600

const headOf = Effect.fnUntraced(function* (head: NodeEndpoint.Header): Effect.fn.Return<Finding> {
  const age = yield* NodeProbe.ageSeconds(head)
  const text = `block ${head.number}, ${Throughput.formatMillis(age * 1000)} old`
  if (age < staleSeconds) return { name: "head", grade: "good", text }
  return {
    name: "head",
    grade: "limited",
    text,
    remedy: "Normal for a development chain; otherwise wait until the node is in sync.",
  }
})

/** First block from which receipts and traces are available. */
const historyOf = Effect.fnUntraced(function* (
  endpoint: NodeEndpoint.NodeEndpoint,
  from: number,
  head: number,
): Effect.fn.Return<Finding> {
  const name = "history"
  const parts = endpoint.tracer === "off" ? (["receipts"] as const) : (["receipts", "traces"] as const)
  const firsts = yield* Effect.forEach(
    parts,
    (part) => NodeProbe.firstAvailable(from, head, (number) => NodeProbe.hasParts(endpoint, part, number)),
    { concurrency: 2 },
  )
  const text = parts.map((part, at) => `${part} from block ${firsts[at] ?? "none"}`).join(", ")
  if (firsts.every((first) => first === from)) return { name, grade: "good", text }
  const remedy = `Use an archive node, or begin at block ${Math.max(...firsts.map((first) => first ?? head))} ("fromBlock").`
  return { name, grade: "limited", text, remedy }
})

const rulesOf = Effect.fnUntraced(function* (node: Node.Node, chainId: number, head: number) {
  const name = "checks"
  const known = HashRules.ofChain(chainId)
  const detected =
    known ?? Result.getOrElse(yield* Effect.result(RuleDetection.detect(node, head)), () => HashRules.none)
  const skipped = HashRules.skipped(detected, "full")
  const source = known === undefined ? "detected" : "known of the chain"
  const finding: Finding =
    skipped === null
      ? { name, grade: "good", text: `header hashes, blooms and roots, ${source}` }
      : { name, grade: "limited", text: `all except ${skipped}, ${source}` }
  return { rules: detected, finding }
})

/** Blocks spread over the range, then the newest ones, since on a development chain few blocks have several transactions. */
const sampleNumbers = (from: number, head: number): ReadonlyArray<number> => {
  const count = Math.min(rateBlocks, head - from + 1)
  const spread = Array.from(
    { length: count },
    (_, at) => head - Math.floor((at * (head - from)) / Math.max(1, count - 1)),
  )
  const newest = Array.from({ length: Math.min(newestBlocks, head - from + 1) }, (_, age) => head - age)
  return [...new Set([...spread, ...newest])]
}

/** What was learned from blocks fetched the way an indexer fetches them. */
interface Fetched {
  readonly deviations: Map<string, string>
  blocks: number
  transactions: number
  /** Number of blocks with logs of several transactions, which show how logs are numbered. */
  numbered: number
  failure: string | null
}

/** Rows of a block, as an indexer would finally accept it if no node returns it without contradictions. */
const fetchAccepted = (node: Node.Node, number: number, options: BlockFetcher.Options) =>
  Effect.catchTag(BlockFetcher.block(node, number, options), "InvalidBlock", () =>
    BlockFetcher.block(node, number, { ...options, failures: BlockFetcher.failuresBeforeAcceptance }),
  )

const hasLogs = ({ body }: TransactionRow): boolean => !body.includes('"logs":[]')

/** Fetches and verifies a block, and counts what it shows. */
const fetchSample = Effect.fnUntraced(function* (
  node: Node.Node,
  rules: HashRules.HashRules,
  number: number,
  fetched: Fetched,
) {
  if (fetched.failure !== null) return
  const onDeviation: Deviation.Reporter = (block, deviations) =>
    Effect.sync(() => {
      for (const deviation of deviations) {
        const text = Deviation.limitOf(deviation) ?? `${deviation.kind} (block ${block})`
        if (!fetched.deviations.has(deviation.kind)) fetched.deviations.set(deviation.kind, text)
      }
    })
  const outcome = yield* Effect.result(
    fetchAccepted(node, number, { decoder: KnownSignatures.decoder(), rules, onDeviation }),
  )
  if (Result.isFailure(outcome)) {
    fetched.failure ??= `block ${number}: ${outcome.failure.message}`
    return
  }
  const { transactions } = outcome.success
  fetched.blocks += 1
  fetched.transactions += transactions.length
  if (transactions.filter(hasLogs).length > 1) fetched.numbered += 1
})

/** What is corrected in the blocks, or accepted with a mark. */
const correctionsOf = ({ blocks, deviations, numbered }: Fetched): Finding => {
  const name = "corrections"
  const shown =
    numbered === 0 ? "none with logs of several transactions" : `${numbered} with logs of several transactions`
  const seen = `in ${blocks} blocks, ${shown}`
  if (deviations.size === 0) return { name, grade: "good", text: `none ${seen}` }
  const remedy =
    "Indexing works: values that follow from the rest of a block are corrected, and other blocks are marked."
  return { name, grade: "limited", text: `${[...deviations.values()].join(", ")}, ${seen}`, remedy }
}

/** Fetches and verifies blocks for a few seconds. */
const fetchSamples = Effect.fnUntraced(function* (
  node: Node.Node,
  rules: HashRules.HashRules,
  { from, head }: { readonly from: number; readonly head: number },
): Effect.fn.Return<ReadonlyArray<Finding>> {
  const name = "rate"
  const fetched: Fetched = { deviations: new Map(), blocks: 0, transactions: 0, numbered: 0, failure: null }
  const began = yield* MonotonicClock.millis
  yield* Effect.timeoutOption(
    Effect.forEach(sampleNumbers(from, head), (number) => fetchSample(node, rules, number, fetched), {
      concurrency: rateConcurrency,
      discard: true,
    }),
    rateMillis,
  )
  const seconds = Math.max(0.001, ((yield* MonotonicClock.millis) - began) / 1000)
  const { blocks, failure, transactions } = fetched
  if (failure !== null && blocks === 0) return [{ name, grade: "missing", text: failure }]
  const perSecond = blocks / seconds
  const left = Throughput.formatMillis(((head - from + 1) / Math.max(perSecond, 0.001)) * 1000)
  const speed = `${perSecond.toFixed(perSecond < 10 ? 1 : 0)} blocks and ${Math.round(transactions / seconds)} transactions per second`
  const text = `${speed}; ${head - from + 1} blocks take about ${left}`
  const rate: Finding =
    failure === null ? { name, grade: "good", text } : { name, grade: "limited", text: `${text}; ${failure}` }
  return [correctionsOf(fetched), rate]
})

/** Examines a node whose chain and head are known. */
const examineParts = Effect.fnUntraced(function* (
  endpoint: NodeEndpoint.NodeEndpoint,
  node: Node.Node,
  options: { readonly chainId: number; readonly from: number; readonly head: number; readonly requests: () => number },
  add: (finding: Finding) => void,
) {
  const { chainId, from, head, requests } = options
  const sample = yield* NodeProbe.ask(NodeProbe.sample(endpoint, head), "return its newest blocks")
  if (Result.isFailure(sample) || sample.success === null) {
    const text = Result.isFailure(sample) ? sample.failure : `no block ${head}`
    return add({ name: "blocks", grade: "missing", text, remedy: "Use a node with eth_getBlockByNumber." })
  }
  add({ name: "blocks", grade: "good", text: "with transactions (eth_getBlockByNumber)" })
  const [receipts, traces, finality] = yield* Effect.all(
    [
      NodeProbe.receipts(endpoint, sample.success),
      NodeProbe.traces(endpoint, sample.success),
      NodeProbe.finality(endpoint),
    ],
    { concurrency: "unbounded" },
  )
  for (const found of [receipts, traces, finality]) add(found)
  add(yield* NodeProbe.batches(endpoint, head, requests))
  if (receipts.grade === "missing") return
  const [history, { finding, rules }] = yield* Effect.all(
    [historyOf(endpoint, from, head), rulesOf(node, chainId, head)],
    { concurrency: 2 },
  )
  add(history)
  add(finding)
  for (const sampled of yield* fetchSamples(node, rules, { from, head })) add(sampled)
})

const examineAll = Effect.fnUntraced(function* (
  endpoint: NodeEndpoint.NodeEndpoint,
  options: Options & { readonly requests: () => number },
  add: (finding: Finding) => void,
) {
  const { fromBlock = 0, node: config, requests } = options
  let isAnswered = false
  const asked = Effect.tapError(endpoint.calls.eth_chainId(), ({ _tag }) =>
    Effect.sync(() => (isAnswered = _tag === "RpcError")),
  )
  const found = yield* NodeProbe.ask(asked, "return its chain id")
  if (Result.isFailure(found)) {
    const text = found.failure
    return add(
      isAnswered ? { name: "chain id", grade: "missing", text } : { name: "connection", grade: "failed", text },
    )
  }
  const chainId = Number(found.success)
  const chain = chainOf(chainId, options.chainId)
  add(chain)
  if (chain.grade === "missing") return
  const [version, head] = yield* Effect.all(
    [versionOf(endpoint), NodeProbe.ask(NodeEndpoint.head(endpoint), "return its latest block")],
    { concurrency: 2 },
  )
  add(version)
  if (Result.isFailure(head)) return add({ name: "head", grade: "missing", text: head.failure })
  add(yield* headOf(head.success))
  const from = Math.min(fromBlock, head.success.number)
  const fetch = options.fetch
  const node = yield* Node.make({
    urls: [config],
    chainId,
    where: "the node",
    fetch,
  })
  yield* examineParts(endpoint, node, { chainId, from, head: head.success.number, requests }, add)
})

/**
 * Examines a node. `onFinding` receives each finding immediately.
 *
 * **Errors**
 * - `InvalidOption`: the URL is not an http or https URL; the message does not show it.
 */
export const examine = Effect.fn("NodeDoctor.examine")(function* (
  options: Options,
  onFinding: (finding: Finding) => void = () => undefined,
): Effect.fn.Return<Examined, InvalidOption> {
  const { timeoutMillis = defaultTimeoutMillis } = options
  let requests = 0
  const send: Fetch = options.fetch ?? globalThis.fetch
  const fetch: Fetch = (url, init) => {
    requests += 1
    return send(url, init)
  }
  const endpoint = yield* NodeEndpoint.make(NodeConfig.toOptions(options.node), fetch)
  const findings: Array<Finding> = []
  const add = (finding: Finding) => {
    findings.push(finding)
    onFinding(finding)
  }
  yield* Effect.timeoutOrElse(examineAll(endpoint, { ...options, requests: () => requests }, add), {
    duration: timeoutMillis,
    orElse: () => {
      const text = `not finished within ${Throughput.formatMillis(timeoutMillis)}`
      return Effect.sync(() => add({ name: "examination", grade: "missing", text, remedy: "The node is too slow." }))
    },
  })
  return { host: endpoint.host, findings }
})

/**
 * True if the chain can be indexed from the node, possibly without some data.
 */
export const canIndex = ({ findings }: Examined): boolean =>
  findings.every(({ grade }) => grade !== "missing" && grade !== "failed")
