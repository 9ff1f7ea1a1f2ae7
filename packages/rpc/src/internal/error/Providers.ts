/**
 * How nodes and providers report failures: the one table of error codes, messages, batch limits and requested waits.
 * To support one more provider, add a row.
 */
import type * as JsonRpc from "@daybook/schema/JsonRpc"
import { maxWait } from "@daybook/transport/internal/RetryAfter"
import * as Duration from "effect/Duration"
import { isObject } from "./JsonObject.ts"

/**
 * The kind of a node's error.
 *
 * **Details**
 * - `rateLimited`: too many requests; reported as the error `RateLimited`.
 * - `notFound`: the node has no such block, transaction or filter, or returned `null` in place of the state at a block.
 * - `pruned`: the node has discarded the history or state; use an archive node.
 * - `reverted`: the contract or the chain's rules rejected the call.
 * - `invalidParams`: the node rejects the call as malformed.
 * - `methodUnsupported`: the node does not have the method, or does not offer it to this key.
 * - `tooLarge`: the request or its result exceeds a limit; request less at once.
 * - `internal`: the node failed or timed out; retried.
 * - `unknown`: anything else.
 */
export type ErrorKind =
  | "rateLimited"
  | "notFound"
  | "pruned"
  | "reverted"
  | "invalidParams"
  | "methodUnsupported"
  | "tooLarge"
  | "internal"
  | "unknown"

/** One way to recognise an error: by its code, message and method, as far as they are specified. */
export interface Row {
  /** `unauthorized` is reported as the error `Unauthorized`. */
  readonly kind: ErrorKind | "unauthorized"
  /** Any of these codes; undefined for any code. */
  readonly codes?: ReadonlyArray<number>
  /** A pattern of the message; undefined for any message. */
  readonly message?: RegExp
  /** The method that was called; undefined for any method. */
  readonly method?: string
  /**
   * Effect on a batch that is rejected as a whole with this error. `one`: the server takes no batches. `fewer`: it takes smaller ones; the
   * limit may be in the message. `unread`: it could not read the request, because of the batch or of a call in it.
   */
  readonly batch?: "one" | "fewer" | "unread"
}

/**
 * Rows in the order in which they are tried; the first match decides. Codes with a single meaning come first, then messages, which are more
 * specific than the remaining codes, then those codes. The comment of a row names who reports errors this way.
 */
export const rows: ReadonlyArray<Row> = [
  // geth, anvil: code 3
  { kind: "reverted", codes: [3] },
  // gateways that put the status into the code
  { kind: "rateLimited", codes: [429] },
  // EIP-4444
  { kind: "pruned", codes: [4444] },
  // JSON-RPC 2.0
  { kind: "methodUnsupported", codes: [-32601] },
  // geth, erigon, nethermind, besu, hardhat; anvil, where it is not the database that failed
  {
    kind: "reverted",
    message:
      /\brevert(?:ed)?\b|^E?VM (?:Exception|error:? (?!F))|invalid (?:opcode|jump)|stack (?:underflow|limit reached)|^write protection|out of gas$/i,
  },
  // jsonrpsee: batch requests are disabled; gateways without batches; Hedera's relay for some methods
  {
    kind: "tooLarge",
    message:
      /\bbatch.*(?:disabled|unsupported|not (?:supported|allowed|enabled))|(?:disabled|unsupported|not (?:supported|allowed|enabled|permitted)).*\bbatch/i,
    batch: "one",
  },
  // eth_getLogs and batches at the large providers; geth: response too large; jsonrpsee: response is too big
  {
    kind: "tooLarge",
    message:
      /batch (?:\S+ ){0,4}(?:too (?:large|big|many)|limit|size|exceed\w*)|too (?:large|big|many)\b.*\bbatch|(?:response|result|reply|content|request|payload|body|entity)\b.{0,20}\btoo (?:large|big)|(?:response|result)s? size|exceed\w* .*\b(?:range|size|block limit|max results)|too many (?:results|logs|blocks|topics|addresses)|ranges?\b.*(?:too|large|exceed|limit|max|greater|supported)|wide .*range|max\w* .{0,30}(?:range|blocks)|logs .*exceed|(?:limit.{0,14} to|up to|(?:more|greater) than) .{0,20}(?:results|logs|blocks|range)|too many events|smaller than size|exceed\w* (?:the )?(?:max\w* (?:allowed )?(?:addresses|topics|duration|mirror|transactions)|--\S+\.limit)|oversized data|less number of address|query contains \d+ filters/i,
    batch: "fewer",
  },
  // BSC: range of a log search
  { kind: "tooLarge", codes: [-32005], message: /^limit exceeded$/, method: "eth_getLogs" },
  // providers that answer -32000 or plain text; Cloudflare 1015
  {
    kind: "rateLimited",
    message:
      /rate.?limit|too many (?:req|con|call)|request (?:rate|limit)|(?:calls?|requests?|units?|credits?)(?: limit)? (?:per|a|\/) ?(?:second|minute|day)|\/ ?(?:sec|min|day).*\blimit|(?:throughput|capacity|quota|credits?|usage) .{0,30}\b(?:limit|exceeded|exhausted|used up)|exceeded .{0,40}\b(?:quota|capacity|throughput|requests|limit)|reached .{0,30}\b(?:quota|tier|(?<!gas )limit)|(?:requests|credits) limited to|too much load|(?<!\b(?:gas|depth) )limit exceeded|(?:daily|monthly) .{0,9}(?:limit|quota)|error code: 1015|^429\b|\b(?:status|code|error|http\S*)\W{0,3}429\b|back ?off/i,
  },
  // Hedera's relay, whose codes have another meaning elsewhere
  { kind: "internal", codes: [-32015], message: /immature records/i },
  { kind: "notFound", codes: [-32007], message: /available only after/i },
  { kind: "invalidParams", codes: [-32011], message: /without specifying/i },
  // Besu and Hedera's relay: a call that could not be a transaction
  { kind: "unknown", codes: [-32004, -32005], message: /\bgas limit\b|^upfront cost/i },
  // EIP-1474 -32005; large providers
  { kind: "rateLimited", codes: [-32005, -32007, -32011, -32029] },
  // providers that answer a bad key with a JSON-RPC error
  {
    kind: "unauthorized",
    message:
      /unauthori[sz]ed|\bnot authori[sz]ed|must be authenticated|authentication (?:required|failed)|\bproject id\b.{0,20}(?:settings|does not have|required)|\b(?:app|key) is inactive|not enabled for this app|(?:invalid|wrong|missing|unknown|expired|disabled|inactive|bad|no) (?:or \S+ )?(?:api|access|project|app)[- ]?(?:key|token|id)\b|(?:api|access)[- ]?(?:key|token)\b.{0,30}\b(?:invalid|missing|required|disabled|expired|inactive|not (?:allowed|found|valid))/i,
  },
  // geth, erigon, reth, nethermind without history
  {
    kind: "pruned",
    message:
      /missing trie node|pruned|pruning|purged|already discarded|no historical rpc|does not exist on height|failed to load state|(?:no state|state not) found|data before .{0,40}not available|snapshot file for|only for the 'latest' block|block is too old|bad tipset height|missing tipset|earliest available|fully indexed|body not found|(?:history|(?:historical|old|world) (?:state|data|block)).{0,40}\b(?:not |un)available|state .{0,60}\bnot available|no state available|depth limit|lowest height|archiv(?:e|al)\b.{0,20} (?:node|state|data|request|access)|proof window/i,
  },
  // geth, arbitrum, erigon, relays
  {
    kind: "methodUnsupported",
    message:
      /method .{0,80}not (?:exist|found|avail|allow|enabl|expos|impl|white|permit)|(?:unsupported|unknown|no such) method|(?<!\b(?:override|type|pending)\b.{0,20})not supported|not allowed to access|tracers? (?:are|is) disabled|^\w+_\w+ is not available|(?:in|on) (?:the|your) (?:\w+ ){0,2}(?:plan|tier)\b/i,
  },
  // geth: request timed out; gateways
  {
    kind: "internal",
    message:
      /timed? ?out|deadline exceeded|temporarily|try again|no (?:available|backend|server)|context cancell?ed|bad gateway|service unavailable|overloaded|busy|method handler crashed|internal (?:server )?error|upstream|connection (?:refused|reset)|(?:indexing|sync) is (?:still )?in progress|retry your request|route your request|unable to complete request/i,
  },
  // geth: header not found, transaction not found; reth, erigon, parity
  {
    kind: "notFound",
    message:
      /(?:block|header|transaction|tx|receipt|filter|subscription|hash|resource)\b.{0,90}\b(?:not found|unknown|does ?n.t exist)|not be found|no (?:finalized|safe) block|unfinalized|last accepted|beyond head|could not find block|(?:block|receipts|state) is not available|not currently canonical|null round|block(?:chain)? height|future epoch|not yet available|beyond current head|(?:unknown|no such) (?:block|header|transaction|hash)|not found$/i,
  },
  // geth: invalid argument 0
  {
    kind: "invalidParams",
    message:
      /invalid (?:argument|param|request|block range|address|hash)|cannot unmarshal|missing value for required argument|too (?:few|many) arguments|hex string/i,
  },
  // EIP-1474 resource not found; reth, erigon: unknown block tag
  { kind: "notFound", codes: [-32001, -39001] },
  // JSON-RPC 2.0; EIP-1474 resource unavailable
  { kind: "internal", codes: [-32603, -32002, -32050, -32052] },
  // batches rejected by large providers; the second code is also that of rejected transactions in EIP-1474
  { kind: "tooLarge", codes: [-32008, -32202], batch: "fewer" },
  { kind: "tooLarge", codes: [-32003], message: /^$|\bbatch|too (?:large|big|many)|\bsize\b/i, batch: "fewer" },
  // EIP-1474
  { kind: "methodUnsupported", codes: [-32004] },
  // JSON-RPC 2.0
  { kind: "invalidParams", codes: [-32602, -32600, -32700], batch: "unread" },
  // parity, nethermind: VM execution error
  { kind: "reverted", codes: [-32015] },
]

/** The part of an error that identifies it. */
export interface CodeAndMessage extends Pick<JsonRpc.ErrorObject, "code" | "message"> {
  /** The method that was called, if known. */
  readonly method?: string | undefined
}

/** Number of characters by which a message is recognised. A node may quote anything after its first sentences. */
const maxMessageCharacters = 500

/** The first row that matches an error. */
const matching = (error: CodeAndMessage, of: ReadonlyArray<Row> = rows): Row | undefined => {
  const text = error.message.slice(0, maxMessageCharacters)
  return of.find(
    ({ codes, message, method = error.method }) =>
      (codes?.includes(error.code) ?? true) && (message?.test(text) ?? true) && method === error.method,
  )
}

/** The kind of an error; `unknown` when no row matches. */
export const kindOf = (error: CodeAndMessage): Row["kind"] => {
  const kind = matching(error)?.kind ?? "unknown"
  // The message of -32602 may quote anything; treating it as a transient failure would repeat a call that cannot succeed.
  return error.code === -32602 && (kind === "internal" || kind === "rateLimited" || kind === "unauthorized")
    ? "invalidParams"
    : kind
}

const batchRows = rows.filter(({ batch }) => batch !== undefined)

/** Effect of an error that rejects a whole batch; `undefined` if it does not concern the batch itself. */
export const batchEffectOf = (error: CodeAndMessage): Row["batch"] => {
  const effect = matching(error, batchRows)?.batch
  return effect === "fewer" && kindOf(error) !== "tooLarge" ? undefined : effect
}

/**
 * Members of an error object that hold a requested wait, in seconds unless the name ends in `ms`: `data.rate.backoff_seconds` of Infura,
 * `data.try_again_in` of QuickNode (text with a unit), and `retry_after` of gateways.
 */
const waitMember = /^(?:backoff_|try_again_in$|retry_?after)/i

const waitMessage =
  /(?:retry|again|wait|back ?off|reset)\D{0,20}?(\d+(?:\.\d+)?)\s*(ms|milliseconds?|s|sec\w*|m|min\w*|h|hours?)\b/i

const unitMillis: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

const millisPer = (unit: string): number => {
  const name = unit.toLowerCase()
  return unitMillis[name.startsWith("milli") || name === "ms" ? "ms" : (name[0] ?? "s")] ?? 1000
}

const millisOfValue = (value: unknown, perUnit: number): number | undefined => {
  if (typeof value === "number") return value * perUnit
  const parts = typeof value === "string" ? /^(\d+(?:\.\d+)?)\s*([a-z]*)$/i.exec(value.trim()) : null
  if (parts === null) return undefined
  const [, digits = "", unit = ""] = parts
  return Number(digits) * (unit === "" ? perUnit : millisPer(unit))
}

const millisInObject = (value: unknown, depth: number): number | undefined => {
  if (!isObject(value)) return undefined
  for (const [key, inner] of Object.entries(value)) {
    const millis = waitMember.test(key)
      ? millisOfValue(inner, key.toLowerCase().endsWith("ms") ? 1 : 1000)
      : depth > 0
        ? millisInObject(inner, depth - 1)
        : undefined
    if (millis !== undefined && millis >= 0) return millis
  }
  return undefined
}

const millisInMessage = (message: string): number | undefined => {
  const found = waitMessage.exec(message.slice(0, maxMessageCharacters))
  return found === null ? undefined : Number(found[1]) * millisPer(found[2] ?? "s")
}

/** Wait that an error object requests in its members or its message, at most one day; `undefined` for none. */
export const retryAfterOf = (error: Pick<JsonRpc.ErrorObject, "message">): Duration.Duration | undefined => {
  const millis = millisInObject(error, 2) ?? millisInMessage(error.message)
  return millis === undefined || !Number.isFinite(millis)
    ? undefined
    : Duration.min(Duration.millis(Math.ceil(millis)), maxWait)
}
