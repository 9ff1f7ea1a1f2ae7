import { type CallError, RpcError } from "@daybook/rpc/RpcError"
import {
  InvalidResponse,
  RateLimited,
  TimeoutError,
  TransportError,
  Unauthorized,
} from "@daybook/transport/ClientError"
import { Duration } from "effect"
import { describe, expect, it } from "vitest"
import * as NodeError from "../../src/node/NodeError.ts"

const host = "node.example:8545"
const where = "chains.eth.rpc"
const tracing = { what: "trace block 1", advice: "Use an archive node." }

const head: NodeError.Task = { what: "return the latest block", isHead: true }

const rpcError = (options: Partial<ConstructorParameters<typeof RpcError>[0]>) =>
  new RpcError({ host, method: "trace_block", code: -32000, message: "sorry", kind: "unknown", ...options })

const messageOf = (...args: Parameters<typeof NodeError.fromCallError>) => {
  const { isMisconfigured, message } = NodeError.fromCallError(...args)
  return [message, isMisconfigured]
}

describe("NodeError", () => {
  it("fromCallError: names the methods that a node does not support", () => {
    const other = rpcError({ method: "eth_getBlockByNumber", kind: "methodUnsupported" })
    expect(messageOf(other, where, { what: "return the latest block" })).toEqual([
      "node.example:8545 does not support eth_getBlockByNumber, which indexing needs. Use another node.",
      true,
    ])
    const error = rpcError({ method: "eth_getBlockReceipts", kind: "methodUnsupported" })

    expect(messageOf(error, where, { what: "return receipts" })).toEqual([
      "node.example:8545 supports neither eth_getBlockReceipts nor eth_getTransactionReceipt; indexing needs one of them. Use another node.",
      true,
    ])
  })

  it("fromCallError: quotes the node and names the remedy if a block cannot be traced", () => {
    const error = rpcError({ message: "required historical state unavailable (reexec=128)", isRetryable: false })

    expect(messageOf(error, where, tracing)).toEqual([
      'node.example:8545 cannot trace block 1 ("required historical state unavailable (reexec=128)"). Use an archive node.',
      true,
    ])
  })

  it("fromCallError: names no remedy for a transient error of a node", () => {
    expect(messageOf(rpcError({ isRetryable: true }), where, tracing)).toEqual([
      'node.example:8545 cannot trace block 1 ("sorry").',
      false,
    ])
  })

  it("fromCallError: names the configuration key of rejected credentials", () => {
    expect(messageOf(new Unauthorized({ host, status: 401 }), where, tracing)).toEqual([
      "node.example:8545 rejects the credentials (401). Correct the URL or the headers of chains.eth.rpc.",
      true,
    ])
  })

  it("fromCallError: states how long a node asked to wait, at most a minute", () => {
    const error = new RateLimited({ host, status: 429, retryAfter: Duration.seconds(30) })
    const day = new RateLimited({ host, status: 429, retryAfter: Duration.days(1) })
    expect(messageOf(day, where, tracing)[0]).toBe(
      "node.example:8545 limits the request rate (429). Trying again in 1m.",
    )

    expect(messageOf(error, where, tracing)).toEqual([
      "node.example:8545 limits the request rate (429). Trying again in 30s.",
      false,
    ])
  })

  it("fromCallError: names the configured rate if it delays calls", () => {
    const error = new RateLimited({ host, scope: "call", retryAfter: Duration.seconds(40) })

    expect(messageOf(error, where, tracing)).toEqual([
      'The configured rate of calls to node.example:8545 is used up. Raise "perSecond" of chains.eth.rpc.',
      false,
    ])
  })

  it.each([
    [
      new TransportError({ host, phase: "connect", reason: "ECONNREFUSED" }),
      "Could not connect to node.example:8545: ECONNREFUSED. Check the address and that the node is up.",
    ],
    [
      new TransportError({ host, phase: "body", reason: "ECONNRESET" }),
      "The connection to node.example:8545 failed: ECONNRESET.",
    ],
    [
      new TimeoutError({ host, phase: "headers", deadline: Duration.seconds(30) }),
      "node.example:8545 did not respond within 30s.",
    ],
    [
      new InvalidResponse({ host, reason: "content", path: "result", received: "null", expected: "the latest block" }),
      "Invalid response from node.example:8545: result: expected the latest block, received null.",
    ],
  ])("fromCallError: describes a transient failure by its fields: %#", (error, message) => {
    expect(messageOf(error, where, tracing)).toEqual([message, false])
  })

  it.each<readonly [string, NodeError.Pace, CallError, NodeError.Task]>([
    ["has no connection", "soon", new TransportError({ host, phase: "connect", reason: "ECONNREFUSED" }), tracing],
    ["limits the rate of polls", "later", new RateLimited({ host, status: 429 }), head],
    ["fails on a poll for now", "later", rpcError({ kind: "internal", isRetryable: true }), head],
    ["fails on a block for now", "rarely", rpcError({ kind: "internal", isRetryable: true }), tracing],
    ["refuses a block", "rarely", rpcError({ isRetryable: false }), tracing],
    ["rejects the credentials", "rarely", new Unauthorized({ host, status: 401 }), head],
  ])("fromCallError: returns the pace of attempts if a node %s: %s", (_, pace, error, task) => {
    expect(NodeError.fromCallError(error, where, task).pace).toBe(pace)
  })

  it("fromCallError: counts no attempts, since the indexer retries", () => {
    const attempt = { method: "POST" } as never
    const error = new TransportError({ host, phase: "connect", reason: "ECONNREFUSED", attempts: [attempt, attempt] })

    expect(messageOf(error, where, tracing)[0]).not.toContain("attempts")
  })
})
