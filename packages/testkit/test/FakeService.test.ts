/** The fake service and node, as seen by both clients. */
import { describe, expect, it } from "vitest"
import type { Client } from "@daybook/rest"
import { createRestClient, fee, transfers } from "@daybook/rest/promise"
import { createRpcClient, transfers as transfersOf } from "@daybook/rpc/promise"
import * as Block from "@daybook/schema/Block"
import * as DecodeWarning from "@daybook/schema/DecodeWarning"
import * as Receipt from "@daybook/schema/Receipt"
import * as WalletPage from "@daybook/schema/WalletPage"
import * as FakeService from "@daybook/testkit/FakeService"

const quick = { retry: { base: 1, cap: 1 } }
const restOf = (fake: FakeService.FakeService, apiKey = "any") =>
  createRestClient({ baseUrl: "http://daybook.test", apiKey, fetch: fake.fetch, ...quick })
const rpcOf = (fake: FakeService.FakeService, apiKey = "any") =>
  createRpcClient({ rpcUrl: "http://daybook.test", chain: "eth", apiKey, fetch: fake.fetch, ...quick })

const collect = async <A>(values: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  for await (const value of values) all.push(value)
  return all
}

const hashesOf = (fake: FakeService.FakeService) =>
  fake
    .blocks()
    .flatMap(({ transactions }) => transactions.filter(({ from, to }) => [from, to].includes(fake.wallet)))
    .map(({ hash }) => hash)

const responseOf = async (fake: FakeService.FakeService, path: string, body?: object): Promise<unknown> => {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }
  return (await fake.fetch(`http://daybook.test${path}`, init)).json()
}

describe("FakeService", () => {
  it("make: returns the same chain for the same seed, and another one for another", () => {
    const headOf = (seed: number) => FakeService.make({ seed }).blocks().at(-1)?.hash

    expect(headOf(7)).toBe(headOf(7))
    expect(headOf(7)).not.toBe(headOf(8))
  })

  it("blocks: are linked, with base fees by EIP-1559 and nonces without gaps", () => {
    const fake = FakeService.make({ seed: 3 })
    fake.reorg(5)
    const blocks = fake.blocks()
    const nonces = blocks.flatMap(({ transactions }) =>
      transactions.filter(({ from }) => from === fake.wallet).map(({ nonce }) => nonce),
    )

    for (const [at, block] of blocks.entries()) {
      const parent = blocks[at - 1]
      if (parent === undefined) continue
      const change = block.baseFeePerGas - parent.baseFeePerGas
      expect([block.parentHash, block.number]).toEqual([parent.hash, parent.number + 1])
      expect((change < 0n ? -change : change) * 8n).toBeLessThanOrEqual(parent.baseFeePerGas)
    }
    expect(nonces).toEqual(nonces.map((_, at) => at))
    expect(nonces.length).toBeGreaterThan(50)
  })

  it("walletTransactionsStream: returns each transaction of the wallet once, in both orders and within bounds", async () => {
    const fake = FakeService.make()
    const rest = restOf(fake)
    const hashes = hashesOf(fake)
    const streamed = async (query: object) =>
      (await collect(rest.walletTransactionsStream({ address: fake.wallet, limit: 40, ...query }))).map(
        ({ hash }) => hash,
      )
    const [first] = fake.blocks()

    expect(await streamed({ order: "ASC" })).toEqual(hashes)
    expect(await streamed({})).toEqual(hashes.toReversed())
    expect(await streamed({ to_block: first!.number - 1 })).toEqual([])
    expect(hashes.length).toBeGreaterThan(200)
  })

  it("rows: have the fee and the transfers of their receipts, and logs that eth_getLogs returns", async () => {
    const fake = FakeService.make({ seed: 2, blocks: 60 })
    const rpc = rpcOf(fake)
    const rows = await collect(restOf(fake).walletTransactionsStream({ address: fake.wallet }))
    const receipts = await Promise.all(rows.map(({ hash }) => rpc.eth_getTransactionReceipt(hash)))
    const [first] = fake.blocks()
    const logs = await rpc.eth_getLogs({ fromBlock: first!.number, toBlock: "latest" })

    expect(rows.map((row) => transfers(row))).toEqual(receipts.map((receipt) => transfersOf(receipt!)))
    expect(rows.map((row) => fee(row).gas)).toEqual(receipts.map((receipt) => fee(receipt!).gas))
    const standards = transfersOf({ logs }).map(({ standard }) => standard)
    const hashes = new Set(rows.map(({ hash }) => hash))
    expect(new Set(standards)).toEqual(new Set(["erc20", "erc721", "erc1155"]))
    expect(logs.filter(({ transactionHash }) => hashes.has(transactionHash!)).map(({ logIndex }) => logIndex)).toEqual(
      rows.toReversed().flatMap((row) => row.logs.map(({ log_index }) => log_index)),
    )
  })

  it("responses: have the exact form of the interface", async () => {
    const fake = FakeService.make({ blocks: 60 })
    const wallet = await responseOf(fake, `/api/v2.2/${fake.wallet}/verbose`)
    const call = (method: string, ...params: ReadonlyArray<unknown>) =>
      responseOf(fake, "/eth/any", { jsonrpc: "2.0", id: 1, method, params }) as Promise<{ result: unknown }>
    const { hash } = fake.blocks().find(({ transactions }) => transactions.length === 3)!
    const { result: block } = await call("eth_getBlockByHash", hash, true)
    const { result: receipts } = await call("eth_getBlockReceipts", hash)
    const exact = { _tag: "Success", success: [] }

    expect(DecodeWarning.find(WalletPage.WalletPage, wallet)).toMatchObject(exact)
    expect(DecodeWarning.find(Block.HydratedBlock, block)).toMatchObject(exact)
    expect(receipts).toHaveLength(3)
    for (const receipt of receipts as ReadonlyArray<unknown>)
      expect(DecodeWarning.find(Receipt.Receipt, receipt)).toMatchObject(exact)
  })

  it("faults: affect the requests in order, and a client still receives every row", async () => {
    const fake = FakeService.make({ faults: [{ status: 503 }, { status: 429, retryAfterSeconds: 0 }] })
    fake.fail({ cutAfterBytes: 200 }, "disconnect", null)
    const rest = createRestClient({
      baseUrl: "http://daybook.test",
      apiKey: "any",
      fetch: fake.fetch,
      retry: {
        maxAttempts: 5,
        base: 1,
        cap: 1,
      },
    })
    const { attempts, page } = await rest.walletTransactions({ address: fake.wallet }).withResponse()

    expect(attempts.map(({ outcome }) => outcome)).toEqual([
      "503",
      "429",
      "TransportError body",
      "TransportError connect",
      "200",
    ])
    expect(page.result.length).toBe(100)
    expect(fake.received.length).toBe(5)
  })

  it("reorg: during a walk, reverts the rows of replaced blocks and returns their replacements", async () => {
    const fake = FakeService.make({ faults: [null, null, { reorg: 60 }] })
    const kept = new Map<string, bigint>()
    let reverted: Client.RowsReverted | undefined
    const rows = restOf(fake).walletTransactionsStream(
      { address: fake.wallet, limit: 30 },
      { onStaleCursor: "restart", prefetch: false },
    )
    for await (const row of rows) {
      if ("_tag" in row) {
        reverted = row
        for (const [hash, block] of kept) if (block >= row.fromBlock) kept.delete(hash)
      } else kept.set(row.hash, row.block_number)
    }

    expect(reverted).toBeDefined()
    expect([...kept.keys()].toSorted()).toEqual(hashesOf(fake).toSorted())
  })

  it("mine: adds blocks that a stream with follow returns", async () => {
    const fake = FakeService.make({ blocks: 5 })
    const before = hashesOf(fake).length
    const found: Array<string> = []
    const rows = restOf(fake).walletTransactionsStream(
      { address: fake.wallet },
      { follow: 1, maxRows: before + 3, onStaleCursor: "restart" },
    )
    for await (const row of rows) {
      if ("_tag" in row) continue
      found.push(row.hash)
      if (found.length === before) fake.mine(20)
    }

    expect(found).toEqual(hashesOf(fake).slice(0, before + 3))
  })

  it("apiKey: rejects another key, in both interfaces", async () => {
    const fake = FakeService.make({ apiKey: "right" })

    await expect(restOf(fake, "wrong").walletTransactions({ address: fake.wallet })).rejects.toMatchObject({
      _tag: "Unauthorized",
    })
    await expect(rpcOf(fake, "wrong").eth_chainId()).rejects.toMatchObject({ _tag: "Unauthorized" })
    expect(await rpcOf(fake, "right").eth_chainId()).toBe(1n)
  })
})

describe("FakeService: invalid requests", () => {
  it.each([
    ["limit=0", "limit", "a whole number of at least 1"],
    ["limit=101", "limit", "a whole number from 1 to 100"],
    ["from_date=sometime", "from_date", "expected ISO 8601"],
    ["cursor=none", "cursor", "the cursor of the previous page, unchanged"],
    ["page=1", "page", "one of the keys"],
  ])("page: rejects %s and names the parameter", async (query, parameter, expected) => {
    const fake = FakeService.make({ blocks: 3 })
    const response = await fake.fetch(`${fake.rest.baseUrl}/api/v2.2/${fake.wallet}/verbose?${query}`)

    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ parameter, message: expect.stringContaining(expected) })
  })

  it("page: rejects an invalid address", async () => {
    const fake = FakeService.make({ blocks: 3 })

    expect(await responseOf(fake, "/api/v2.2/0x123/verbose")).toMatchObject({
      code: "bad_request",
      message: 'Invalid path parameter "address": expected an address of 20 bytes in hex, received "0x123".',
    })
  })

  it("node: rejects invalid parameters, unknown methods and bodies that are not calls", async () => {
    const fake = FakeService.make({ blocks: 3 })
    const errorOf = async (body: object) => (await responseOf(fake, "/rpc/eth/any", body)) as { readonly error: object }

    expect(await errorOf({ id: 1, method: "eth_getBalance", params: ["0x123"] })).toMatchObject({
      error: { code: -32602, message: expect.stringContaining('Invalid params "[0]"') },
    })
    expect(await errorOf({ id: 1, method: "eth_unknown" })).toMatchObject({ error: { code: -32601 } })
    expect(await errorOf({ id: 1 })).toMatchObject({ error: { code: -32600 } })
    expect(await errorOf({ id: 1, method: "eth_blockNumber", params: {} })).toMatchObject({
      error: {
        code: -32602,
        message: 'Invalid JSON-RPC request "params": expected an array (parameters by position).',
      },
    })
  })
})

describe("FakeService: statuses", () => {
  it.each([
    [400, "BadRequest"],
    [401, "Unauthorized"],
    [402, "QuotaExceeded"],
    [403, "Forbidden"],
    [404, "NotFound"],
    [405, "InvalidResponse"],
    [413, "InvalidResponse"],
    [422, "BadRequest"],
    [429, "RateLimited"],
    [500, "InvalidResponse"],
    [503, "Unavailable"],
  ])("fail: status %i is the error %s of the client", async (status, tag) => {
    const fake = FakeService.make({ blocks: 3, faults: [{ status }] })
    const rest = createRestClient({ ...fake.rest, retry: { maxAttempts: 1 } })

    await expect(rest.walletTransactions({ address: fake.wallet })).rejects.toMatchObject({ _tag: tag })
  })
})

describe("FakeService: options", () => {
  it("methods: respond instead of the fake, and what they throw is the error of the call", async () => {
    const fake = FakeService.make({
      methods: {
        eth_call: ([call]) => (call as { readonly data: string }).data,
        eth_gasPrice: () => {
          throw new Error("no price")
        },
      },
    })
    const rpc = createRpcClient(fake.rpc)

    expect(await rpc.eth_call({ to: fake.wallet, data: "0x1234" })).toBe("0x1234")
    await expect(rpc.eth_gasPrice()).rejects.toMatchObject({ _tag: "RpcError", code: -32000 })
  })

  it("faults: a late response ends a call at its deadline", async () => {
    const fake = FakeService.make({ faults: [{ delayMillis: 600_000 }] })
    const rest = createRestClient({ ...fake.rest, timeout: 5 })

    await expect(rest.walletTransactions({ address: fake.wallet })).rejects.toMatchObject({ _tag: "TimeoutError" })
  })

  it("scope: all adds others' transactions in which the wallet receives tokens", async () => {
    const fake = FakeService.make({ blocks: 60 })
    const countOf = async (scope: "all" | "direct") =>
      (await collect(createRestClient(fake.rest).walletTransactionsStream({ address: fake.wallet, scope }))).length
    const topic = `0x${fake.wallet.slice(2).padStart(64, "0")}`
    const all = fake.blocks().flatMap(({ transactions }) => transactions)
    const inLogs = all.filter(
      ({ from, logs, to }) =>
        from !== fake.wallet && to !== fake.wallet && logs.some(({ topics }) => topics.includes(topic)),
    )

    expect(inLogs.length).toBeGreaterThan(0)
    expect(await countOf("all")).toBe((await countOf("direct")) + inLogs.length)
  })

  it("walletTransactionsStream: a reorg of any depth up to the newest block of a list makes its cursor stale, in both orders", async () => {
    const outcomeOf = async (reorg: number, query: object) => {
      const fake = FakeService.make({ blocks: 100, faults: [null, { reorg }] })
      const [first] = fake.blocks()
      try {
        await collect(restOf(fake).walletTransactionsStream({ address: fake.wallet, limit: 20, ...query }))
        return "ended"
      } catch (error) {
        const { _tag, resumeFromBlock } = error as { readonly _tag: string; readonly resumeFromBlock: bigint }
        return `${_tag} ${resumeFromBlock - BigInt(first!.number)}`
      }
    }

    for (const order of ["ASC", "DESC"]) {
      expect(await outcomeOf(1, { order })).toBe("StaleCursor 99")
      expect(await outcomeOf(30, { order })).toBe("StaleCursor 70")
      expect(await outcomeOf(99, { order })).toBe("StaleCursor 1")
    }
    expect(await outcomeOf(30, { to_block: 20_000_050 })).toBe("ended")
    expect(await outcomeOf(60, { to_block: 20_000_050 })).toBe("StaleCursor 40")
  })

  it("walletTransactionsStream: a list ends at the newest block of its first page", async () => {
    const fake = FakeService.make({ blocks: 60 })
    const before = hashesOf(fake)
    const given: Array<string> = []
    for await (const { hash } of restOf(fake).walletTransactionsStream({
      address: fake.wallet,
      limit: 9,
      order: "ASC",
    })) {
      given.push(hash)
      if (given.length === 1) fake.mine(20)
    }

    expect(given).toEqual(before)
    expect(hashesOf(fake).length).toBeGreaterThan(before.length)
  })

  it("make: names the invalid option, with what was received", () => {
    const issueOf = (options: object) => {
      try {
        return FakeService.make(options)
      } catch (error) {
        return String(error)
      }
    }

    expect(
      [{ wallet: "me" }, { seed: "a" }, { blocks: 0 }, { chainId: 1.5 }, { methods: { eth_call: "0x" } }].map(issueOf),
    ).toEqual([
      'TypeError: Invalid option "wallet": expected an address of 20 bytes in hex: 0x and 40 digits, received "me".',
      'TypeError: Invalid option "seed": expected an integer of at least 0, received "a".',
      'TypeError: Invalid option "blocks": expected an integer of at least 1, received 0.',
      'TypeError: Invalid option "chainId": expected an integer of at least 1, received 1.5.',
      'TypeError: Invalid option "methods": expected an object of functions, received an object with eth_call.',
    ])
    expect(issueOf({ block: 3 })).toBe(
      'TypeError: Invalid option "block": expected one of the keys seed, wallet, blocks, firstBlock, apiKey, chainId, faults, methods, operations, emptyWallets, received an unknown key.',
    )
  })

  it("faults: names an invalid fault, which would otherwise leave a request without one", () => {
    const fake = FakeService.make({ blocks: 1 })
    const issueOf = (fault: unknown) => {
      try {
        fake.fail(null, fault as FakeService.Fault)
      } catch (error) {
        return String(error)
      }
    }
    const expected =
      '{ status, retryAfterSeconds? } of 200 to 599, { cutAfterBytes }, { delayMillis } or { reorg } of at least 0, "disconnect", or null'

    expect(issueOf("disconect")).toBe(`TypeError: Invalid argument "[1]": expected ${expected}, received "disconect".`)
    const invalid = [
      { statuss: 500 },
      { status: 99 },
      { status: 503, delayMillis: 1 },
      { delayMillis: -1 },
      { reorg: 1.5 },
      {},
    ]
    expect(invalid.map(issueOf)).toEqual(invalid.map(() => expect.stringContaining('Invalid argument "[1]"')))
    expect(() => FakeService.make({ faults: [{ statuss: 500 } as never] })).toThrow(
      `an array of faults, each ${expected}`,
    )
    expect([{ status: 204 }, { status: 429, retryAfterSeconds: undefined }, undefined].map(issueOf)).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it("mine and reorg: reject an invalid number of blocks, and leave the chain unchanged", () => {
    const fake = FakeService.make({ blocks: 5 })
    const before = fake.blocks()

    for (const count of [-1, 1.5, Number.NaN, "2" as never]) {
      expect(() => fake.mine(count)).toThrow('Invalid argument "blocks": expected an integer of at least 0')
      expect(() => fake.reorg(count)).toThrow('Invalid argument "depth": expected an integer of at least 0')
    }
    expect(fake.blocks()).toBe(before)
  })

  it("node: rejects a call about a block that is not on the chain", async () => {
    const fake = FakeService.make({ blocks: 5, firstBlock: 100 })
    const rpc = createRpcClient(fake.rpc)
    const unknown = `0x${"11".repeat(32)}` as const

    await expect(rpc.eth_getLogs({ blockHash: unknown })).rejects.toMatchObject({
      message: expect.stringContaining("unknown block"),
    })
    for (const block of [105n, { blockHash: unknown }] as const) {
      await expect(rpc.eth_getBalance(fake.wallet, block)).rejects.toMatchObject({
        message: expect.stringContaining("header not found"),
      })
      await expect(rpc.eth_getTransactionCount(fake.wallet, block)).rejects.toMatchObject({ _tag: "RpcError" })
    }
    expect(await rpc.eth_getBalance(fake.wallet, 99n)).toBe(await rpc.eth_getBalance(fake.wallet, 0n))
  })

  it("node: answers bodies that are not calls, and none if no call has an id, as the service does", async () => {
    const fake = FakeService.make({ blocks: 1 })
    const post = async (body: string) => {
      const response = await fake.fetch("http://fake.test/rpc/eth/key", { method: "POST", body })
      const text = await response.text()
      return [response.status, text === "" ? null : JSON.parse(text)]
    }
    const call = { jsonrpc: "2.0", method: "eth_chainId" }
    const error = (code: number) => expect.objectContaining({ id: null, error: expect.objectContaining({ code }) })

    expect(await post("{")).toEqual([200, error(-32_700)])
    expect(await post("[]")).toEqual([200, error(-32_600)])
    expect(await post(JSON.stringify(call))).toEqual([204, null])
    expect(await post(JSON.stringify({ ...call, id: 7, params: null }))).toEqual([
      200,
      { jsonrpc: "2.0", id: 7, result: "0x1" },
    ])
    expect(await post(JSON.stringify([call, { ...call, id: 7 }]))).toEqual([
      200,
      [{ jsonrpc: "2.0", id: 7, result: "0x1" }],
    ])
  })

  it("operations: respond in place of what the fake derives", async () => {
    const operations = { movements: () => ({ cursor: null, page: 0, page_size: 100, result: [] }) }
    const fake = FakeService.make({ blocks: 30, operations })

    expect(await collect(restOf(fake).movementsStream({ address: fake.wallet }))).toEqual([])
    expect((await restOf(fake).balances({ address: fake.wallet })).result.length).toBeGreaterThan(0)
  })

  it("emptyWallets: have no history, and any other address that is not on the chain is rejected", async () => {
    const [empty, unknown] = [`0x${"e".repeat(40)}`, `0x${"f".repeat(40)}`] as const
    const fake = FakeService.make({ blocks: 3, emptyWallets: [empty.toUpperCase().replace("0X", "0x")] })
    const rest = restOf(fake)

    expect((await rest.walletTransactions({ address: empty })).result).toEqual([])
    expect((await rest.balances({ address: empty })).result).toEqual([])
    await expect(rest.movements({ address: unknown })).rejects.toMatchObject({
      _tag: "BadRequest",
      message: expect.stringContaining(
        `Wallet not indexed: ${unknown} on eth. Use a wallet that this service indexes. This fake has ${fake.wallet}`,
      ),
    })
  })
})
