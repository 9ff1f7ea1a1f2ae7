/**
 * What a node's error means: one of a few kinds, told by its code and its words, because providers and clients give one meaning many codes.
 * A table decides; knowing one more provider is adding one row. What a caller does about each kind is in the README.
 */

/**
 * The meanings of a node's error.
 *
 * **Details**
 * - `rateLimited`: too many requests; reported as `RateLimited`.
 * - `notFound`: no such block, transaction or filter on this node.
 * - `pruned`: the node had the history or state and gave it up; ask an archive node.
 * - `reverted`: the contract or the chain's rules refused the call.
 * - `invalidParams`: the node does not accept the call as written.
 * - `methodUnsupported`: the node does not have the method, or does not offer it to this key.
 * - `tooLarge`: too much was asked at once; ask for less.
 * - `internal`: the node failed or was too slow; may be tried again.
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

/**
 * One way to tell a kind: by a code, by words of the message, or by both together. `unauthorized` is reported as `Unauthorized`.
 */
export interface Row {
  readonly kind: ErrorKind | "unauthorized"
  /** Any of these codes; undefined for any code. */
  readonly codes?: ReadonlyArray<number>
  /** Words of the message; undefined for any message. */
  readonly words?: RegExp
  /** Who says it so. */
  readonly source: string
}

/**
 * The rows in the order in which they are tried; the first that fits decides. First come codes that mean one thing whatever the words,
 * then words, which are more exact than the other codes, then those.
 */
export const table: ReadonlyArray<Row> = [
  { kind: "reverted", codes: [3], source: "geth, anvil: code 3" },
  { kind: "rateLimited", codes: [429], source: "gateways that put the status into the code" },
  { kind: "pruned", codes: [4444], source: "EIP-4444" },
  { kind: "methodUnsupported", codes: [-32601], source: "JSON-RPC 2.0" },
  {
    kind: "reverted",
    words: /\breverted?\b|^VM Exception|^execution error: revert|invalid opcode|out of gas$/i,
    source: "geth, erigon, nethermind, besu, hardhat",
  },
  {
    kind: "tooLarge",
    words:
      /batch (?:\S+ ){0,4}(?:too (?:large|big|many)|limit|size)|too (?:large|big|many)\b.*\bbatch|(?:response|result|reply|content|request|payload|body|entity)\b.{0,20}\btoo (?:large|big)|(?:response|result)s? size|exceeds? .*\b(?:range|size|block limit|max results)|query returned more than|too many (?:results|logs|blocks|topics|addresses)|(?:block )?range .*(?:too|large|exceed|limit|wide|max)|max(?:imum)? (?:block )?range|limited to (?:a )?[\d,.]+k? (?:blocks?|results|range)|more than [\d,]+ (?:results|logs|blocks)|up to a [\d,]+ block range/i,
    source: "eth_getLogs and batches at the large providers; geth: response too large; jsonrpsee: response is too big",
  },
  {
    kind: "rateLimited",
    words:
      /rate.?limit|too many (?:requests|connections|calls|concurrent)|request (?:rate|limit)|(?:calls?|requests?|units?|credits?)(?: limit)? (?:per|a|\/) ?(?:second|minute|day)|\/ ?(?:sec(?:ond)?|min(?:ute)?|day)\b.*\blimit|(?:throughput|capacity|quota|credits?|usage) .{0,30}\b(?:limit|exceeded|exhausted|used up)|exceeded .{0,40}\b(?:quota|capacity|throughput|requests|limit)|limit exceeded|(?:daily|monthly) (?:request )?(?:limit|quota)|error code: 1015|\b429\b|back ?off/i,
    source: "providers that answer -32000 or plain text; Cloudflare 1015",
  },
  { kind: "rateLimited", codes: [-32005, -32007, -32011, -32029], source: "EIP-1474 -32005; large providers" },
  {
    kind: "unauthorized",
    words:
      /unauthori[sz]ed|must be authenticated|authentication (?:required|failed)|(?:invalid|missing|unknown|expired|disabled|inactive|bad|no) (?:or \S+ )?(?:api|access|project|app)[- ]?(?:key|token|id)\b|(?:api|access)[- ]?(?:key|token)\b.{0,30}\b(?:invalid|missing|required|disabled|expired|inactive|not (?:allowed|found|valid))/i,
    source: "providers that answer a bad key with a JSON-RPC error",
  },
  {
    kind: "pruned",
    words:
      /missing trie node|pruned|(?:historical|old) (?:state|data|block).{0,40}\b(?:not |un)available|state .{0,60}\bnot available|archive (?:node|state|request|access)|proof window|state (?:is )?already pruned|history (?:is )?(?:unavailable|not available)/i,
    source: "geth, erigon, reth, nethermind without history",
  },
  {
    kind: "methodUnsupported",
    words:
      /method .{0,80}(?:does not exist|not (?:found|supported|available|allowed|exposed|enabled|implemented|whitelisted))|(?:unsupported|unknown) method|not supported|notifications not supported|rpc method is not whitelisted|no such method/i,
    source: "geth, arbitrum, erigon, relays",
  },
  {
    kind: "internal",
    words:
      /timed? ?out|deadline exceeded|temporarily|try again|no (?:available )?(?:backend|upstream|server)|bad gateway|service unavailable|overloaded|busy|method handler crashed|internal (?:server )?error|upstream/i,
    source: "geth: request timed out; gateways",
  },
  {
    kind: "notFound",
    words:
      /(?:block|header|transaction|tx|receipt|filter|subscription|hash|resource)\b.{0,90}\b(?:not (?:be )?found|unknown|does ?n.t exist|does not exist)|could not be found|no (?:finalized|safe) block|(?:unknown|no such) (?:block|header|transaction|hash)|not found$/i,
    source: "geth: header not found, transaction not found; reth, erigon, parity",
  },
  {
    kind: "invalidParams",
    words:
      /invalid (?:argument|params?|parameters?|request|block range|address|hash)|cannot unmarshal|missing value for required argument|too (?:few|many) arguments|hex string/i,
    source: "geth: invalid argument 0",
  },
  { kind: "notFound", codes: [-32001, -39001], source: "EIP-1474 resource not found; reth, erigon: unknown block tag" },
  { kind: "internal", codes: [-32603, -32002, -32050, -32052], source: "JSON-RPC 2.0; EIP-1474 resource unavailable" },
  { kind: "tooLarge", codes: [-32003, -32008, -32202], source: "batches refused; jsonrpsee: response is too big" },
  { kind: "methodUnsupported", codes: [-32004], source: "EIP-1474" },
  { kind: "invalidParams", codes: [-32602, -32600, -32700], source: "JSON-RPC 2.0" },
  { kind: "reverted", codes: [-32015], source: "parity, nethermind: VM execution error" },
]

/**
 * The kind of a node's error.
 *
 * **Example** (Telling a limit from a rate limit)
 *
 * ```ts
 * import * as ErrorKind from "@daybook/rpc/ErrorKind"
 *
 * console.log(ErrorKind.of({ code: -32005, message: "query returned more than 10000 results" })) // tooLarge
 * console.log(ErrorKind.of({ code: -32005, message: "limit exceeded" })) // rateLimited
 * ```
 */
export const of = (error: { readonly code: number; readonly message: string }): Row["kind"] => {
  const message = error.message.slice(0, 2_000)
  const fits = (row: Row): boolean =>
    (row.codes === undefined || row.codes.includes(error.code)) && (row.words === undefined || row.words.test(message))
  const kind = table.find(fits)?.kind ?? "unknown"
  // Whatever else the words of -32602 quote, a transient meaning would send a wrong call again.
  return error.code === -32602 && kind !== "tooLarge" && kind !== "methodUnsupported" ? "invalidParams" : kind
}

/**
 * True for kinds whose call may succeed when sent again.
 */
export const isRetryable = (kind: ErrorKind): boolean => kind === "internal" || kind === "rateLimited"
