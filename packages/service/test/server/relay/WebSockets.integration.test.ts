/** viem, ethers and web3 over WebSocket, with the relay and with the node itself, on one chain with reorgs. */
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"
import { describe, expect, it } from "@effect/vitest"
import { Eventually } from "@daybook/harness"
import { Anvil, Contracts, Head } from "@daybook/chain"
import { Effect } from "effect"
import { WebSocketProvider } from "ethers"
import { createPublicClient, type Hex, webSocket } from "viem"
import { vi } from "vitest"
import { Web3 } from "web3"
import { type Json, start } from "../service.ts"
import * as SocketClient from "./SocketClient.ts"

vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 })

const name = "my chain"
const chain = "my%20chain"
const gas = "0x200000"

/** A chain with a token, and a service beside it. */
const served = Effect.gen(function* () {
  const node = yield* Anvil.make()
  const service = yield* start({
    chains: { [name]: { config: { id: node.chainId, rpc: [node.url], pollMillis: 100 } } },
  })
  const [from = "", to = ""] = node.accounts
  const data = Contracts.encodeCreation("Token", ["Token", "TKN"])
  const hash = yield* node.call<Hex>("eth_sendTransaction", [{ from, data, gas }])
  yield* Head.mine(node)
  const { contractAddress: token } = yield* node.call<{ readonly contractAddress: Hex }>("eth_getTransactionReceipt", [
    hash,
  ])
  const request = (amount: bigint) => ({
    from,
    to: token,
    gas,
    data: Contracts.encodeCall("Token", "mint", [to, amount]),
  })
  const mint = (amount: bigint) => node.call<Hex>("eth_sendTransaction", [request(amount)])
  return { node, service, token, mint, request }
})

/** What a subscription received. */
interface Received {
  readonly heads: Array<Json>
  readonly logs: Array<Json>
}

const viemClient = (url: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const client = createPublicClient({ transport: webSocket(url, { retryCount: 0, reconnect: false }) })
        return { client, socket: await client.transport.getRpcClient() }
      }),
      ({ socket }) => Effect.sync(() => socket.close()),
    ),
    ({ client }) => client,
  )

/** Subscribes to heads and to the logs of a token with viem. */
const viemReceived = Effect.fnUntraced(function* (url: string, token: Hex) {
  const received: Received = { heads: [], logs: [] }
  const { transport } = yield* viemClient(url)
  const subscribe = (params: ReadonlyArray<unknown>, to: Array<Json>) =>
    Effect.promise(() =>
      // Sound: viem's types lack the parameters of logs.
      transport.subscribe({ params: params as ["newHeads"], onData: ({ result }: Json) => void to.push(result) }),
    )
  yield* subscribe(["newHeads"], received.heads)
  yield* subscribe(["logs", { address: token }], received.logs)
  return received
})

/** Subscribes to block numbers and to the logs of a token with ethers. */
const ethersReceived = Effect.fnUntraced(function* (url: string, token: Hex) {
  const received: Received = { heads: [], logs: [] }
  const provider = yield* Effect.acquireRelease(
    Effect.sync(() => new WebSocketProvider(url)),
    (provider) => Effect.promise(() => provider.destroy()),
  )
  // A notification that arrives before ethers knows its network is lost.
  yield* Effect.promise(() => provider.getNetwork())
  yield* Effect.promise(() => provider.on("block", (number: number) => received.heads.push(number)))
  yield* Effect.promise(() => provider.on({ address: token }, (log: Json) => received.logs.push(log)))
  // Both subscriptions were answered before this call is.
  yield* Effect.promise(() => provider.send("eth_blockNumber", []))
  return received
})

/** Subscribes to heads and to the logs of a token with web3. */
const web3Received = Effect.fnUntraced(function* (url: string, token: Hex) {
  const received: Received = { heads: [], logs: [] }
  const web3 = yield* Effect.acquireRelease(
    Effect.sync(() => new Web3(url)),
    ({ provider }) => Effect.sync(() => provider?.disconnect()),
  )
  const heads = yield* Effect.promise(() => web3.eth.subscribe("newHeads"))
  heads.on("data", (head: Json) => void received.heads.push(head.hash))
  const logs = yield* Effect.promise(() => web3.eth.subscribe("logs", { address: token }))
  logs.on("data", (log: Json) => void received.logs.push(log))
  return received
})

const until = (condition: () => boolean, what: string) => Effect.promise(() => Eventually.until(condition, { what }))

/** What identifies a log. */
const placesOf = (logs: ReadonlyArray<Json>) =>
  logs.map((log) => [log.blockHash, Number(log.logIndex ?? log.index), log.removed])

/** Members of a block that its header lacks: the relay sends the others. */
const bodyMembers = new Set(["size", "totalDifficulty", "transactions", "uncles", "withdrawals"])

const headersOf = (heads: ReadonlyArray<Json>): ReadonlyArray<Json> =>
  heads.map((head) => Object.fromEntries(Object.entries(head).filter(([member]) => !bodyMembers.has(member))))

/** A server that forwards bytes to a port; its connections can be cut. */
const cuttable = (to: URL) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly sockets: Set<Socket>; readonly server: Server }>((resume) => {
      const sockets = new Set<Socket>()
      const server = createServer((client) => {
        const upstream = connect(Number(to.port), to.hostname)
        sockets.add(client)
        client.on("error", () => upstream.destroy()).on("close", () => upstream.destroy())
        upstream.on("error", () => client.destroy())
        client.pipe(upstream).pipe(client)
      })
      server.listen(0, "127.0.0.1", () => {
        const { port } = server.address() as AddressInfo
        resume(Effect.succeed({ port, sockets, server }))
      })
    }),
    ({ server, sockets }) =>
      Effect.sync(() => {
        for (const socket of sockets) socket.destroy()
        server.close()
      }),
  )

describe("WebSockets", () => {
  it.live(
    "eth_subscribe: viem, ethers and web3 receive from the relay what the node itself sends, plus removed logs",
    () =>
      Effect.gen(function* () {
        const { mint, node, request, service, token } = yield* served
        const relayUrl = SocketClient.urlOf(service, chain)
        const nodeUrl = node.url.replace("http", "ws")
        const relay = yield* viemReceived(relayUrl, token)
        const direct = yield* viemReceived(nodeUrl, token)
        const relayEthers = yield* ethersReceived(relayUrl, token)
        const directEthers = yield* ethersReceived(nodeUrl, token)
        const relayWeb3 = yield* web3Received(relayUrl, token)
        const directWeb3 = yield* web3Received(nodeUrl, token)
        const all = [relay, direct, relayEthers, directEthers, relayWeb3, directWeb3]
        const snapshot = yield* node.call("evm_snapshot")

        for (const amount of [1n, 2n, 3n]) {
          yield* mint(amount)
          yield* Head.mine(node)
        }
        yield* until(() => all.every(({ heads, logs }) => heads.length === 3 && logs.length === 3), "three blocks")
        yield* node.call("anvil_reorg", [
          2,
          [
            [request(4n), 0],
            [request(5n), 0],
            [request(6n), 1],
          ],
        ])
        const reorganised = yield* Head.current(node)
        yield* until(() => relay.heads.at(-1).hash === reorganised.hash, "the reorg")
        // Logs follow their headers, and cannot be read any more once the node has reverted.
        yield* until(() => relay.logs.at(-1).blockHash === reorganised.hash, "the logs of the reorg")
        // The head falls to the block of the snapshot.
        yield* node.call("evm_revert", [snapshot])
        yield* mint(7n)
        const last = yield* Head.mine(node)
        yield* until(() => [relay, direct].every(({ heads }) => heads.at(-1).hash === last.hash), "the last block")
        yield* until(() => all.every(({ logs }) => logs.at(-1).blockHash === last.hash), "the last log")

        const [first, second, third, fourth, fifth] = relay.heads.map(({ hash }) => hash)
        expect(headersOf(direct.heads)).toEqual(relay.heads)
        expect(relay.heads.map(({ number }) => Number(number))).toEqual([2, 3, 4, 3, 4, 2])
        expect(relayEthers.heads).toEqual(directEthers.heads)
        expect(placesOf(relay.logs)).toEqual([
          [first, 0, false],
          [second, 0, false],
          [third, 0, false],
          [third, 0, true],
          [second, 0, true],
          [fourth, 0, false],
          [fourth, 1, false],
          [fifth, 0, false],
          [fifth, 0, true],
          [fourth, 1, true],
          [fourth, 0, true],
          [first, 0, true],
          [last.hash, 0, false],
        ])
        expect(relayWeb3.heads).toEqual(relay.heads.map(({ hash }) => hash))
        expect(directWeb3.heads).toEqual(relayWeb3.heads)
        expect(placesOf(relayWeb3.logs)).toEqual(placesOf(relay.logs))
        expect(placesOf(directWeb3.logs)).toEqual(placesOf(direct.logs))
        // This node sends no removed logs, and ethers forwards none.
        expect(relay.logs.filter(({ removed }) => removed === false)).toEqual(direct.logs)
        expect(placesOf(relayEthers.logs)).toEqual(placesOf(directEthers.logs))
      }),
  )

  it.live("eth_subscribe: a client whose connection is cut reconnects, and receives what follows", () =>
    Effect.gen(function* () {
      const { node, service } = yield* served
      const proxy = yield* cuttable(new URL(service.url))
      const url = `ws://127.0.0.1:${proxy.port}/rpc/${chain}/${service.key}`
      const client = createPublicClient({ transport: webSocket(url, { reconnect: { attempts: 100, delay: 20 } }) })
      const hashes: Array<string> = []
      yield* Effect.promise(() =>
        client.transport.subscribe({
          params: ["newHeads"],
          onData: ({ result }: Json) => void hashes.push(result.hash),
        }),
      )
      const mined: Array<string> = []
      const cuts = 5
      for (let cut = 0; cut < cuts; cut++) {
        const { hash } = yield* Head.mine(node)
        mined.push(hash)
        yield* until(() => hashes.at(-1) === hash, "the block after a cut")
        const before = proxy.sockets.size
        for (const socket of proxy.sockets) socket.destroy()
        yield* until(() => proxy.sockets.size > before, "another connection")
        // Its subscription was made before it responds.
        yield* Effect.promise(() => client.getChainId())
      }

      expect(hashes).toEqual(mined)
      yield* Effect.promise(async () => (await client.transport.getRpcClient()).close())
    }),
  )
})
