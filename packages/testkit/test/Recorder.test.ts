/** Recordings of a service and a node, which are the fake here, and their replay to both clients. */
import { createRestClient } from "@daybook/rest/promise"
import { createRpcClient } from "@daybook/rpc/promise"
import * as FakeService from "@daybook/testkit/FakeService"
import * as Recorder from "@daybook/testkit/Recorder"
import { describe, expect, it } from "vitest"

const quick = { retry: { base: 1, cap: 1 } }

const collect = async <A>(values: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  for await (const value of values) all.push(value)
  return all
}

/** What a program receives about a wallet: its rows, the newest block, and a missing receipt. */
const readAll = async (wallet: string, options: { readonly apiKey: string; readonly fetch: FakeService.FakeFetch }) => {
  const rest = createRestClient({ baseUrl: "http://daybook.test", ...options, ...quick })
  const rpc = createRpcClient({ rpcUrl: "http://daybook.test/rpc", chain: "eth", ...options, ...quick })
  const rows = await collect(rest.walletTransactionsStream({ address: wallet, limit: 40 }))
  const [head, missing] = await Promise.all([
    rpc.eth_getBlockByNumber("latest", true),
    rpc.eth_getTransactionReceipt(`0x${"00".repeat(32)}`),
  ])
  return { rows, head, missing }
}

describe("Recorder", () => {
  it("replay: returns to both clients what was recorded, from JSON text and with another key", async () => {
    const fake = FakeService.make({ apiKey: "right-key", faults: [{ status: 503 }] })
    const recorder = Recorder.make({ fetch: fake.fetch })
    const real = await readAll(fake.wallet, { apiKey: "right-key", fetch: recorder.fetch })
    const text = JSON.stringify(recorder.recording())
    const { fetch } = Recorder.replay(JSON.parse(text))
    const again = await readAll(fake.wallet, { apiKey: "another", fetch })

    expect(again).toStrictEqual(real)
    expect(real.rows.length).toBeGreaterThan(100)
  })

  it("replay: returns a recorded comparison with the chain, and treats no address as a key", async () => {
    const fake = FakeService.make({ seed: 7 })
    const recorder = Recorder.make({ fetch: fake.fetch })
    const prove = async (options: {
      readonly baseUrl: string
      readonly apiKey: string
      readonly fetch: FakeService.FakeFetch
    }) => {
      const rest = createRestClient({ ...options, ...quick })
      const proof = await rest.proveWallet({ address: fake.wallet })
      return [proof, await rest.statement({ address: fake.wallet, to_block: proof.block_number })]
    }
    const real = await prove({ ...fake.rest, fetch: recorder.fetch })
    const recording = recorder.recording()
    const again = await prove({ ...fake.rest, fetch: Recorder.replay(JSON.parse(JSON.stringify(recording))).fetch })

    expect(again).toStrictEqual(real)
    expect(recording.rpc).toEqual([])
    expect(recording.rest[0]?.request).toBe(`PUT /api/v2.2/${fake.wallet}/proof?`)
  })

  it("fetch: forwards the tag of a page that a program has, which a replay returns again", async () => {
    const fake = FakeService.make()
    const recorder = Recorder.make({ fetch: fake.fetch })
    const readTwice = async (fetch: FakeService.FakeFetch) => {
      const rest = createRestClient({ ...fake.rest, ...quick, fetch })
      const query = { address: fake.wallet, limit: 3 }
      const { headers, page } = await rest.walletTransactionsWithResponse(query)
      const again = await rest.walletTransactionsWithResponse(query, { ifNoneMatch: headers["etag"]! })
      return [page, again.notModified === true || again.page] as const
    }
    const [page, isKnown] = await readTwice(recorder.fetch)

    expect(isKnown).toBe(true)
    expect(await readTwice(Recorder.replay(recorder.recording()).fetch)).toStrictEqual([page, page])
  })

  it("fetch: forwards changes of webhooks, and records nothing of them", async () => {
    const recorder = Recorder.make({ fetch: async () => Response.json({ result: { secret: "whsec_1234" } }) })
    const request = { method: "POST", body: JSON.stringify({ url: "https://receiver.example" }) }
    const response = await recorder.fetch("https://service.example/api/v2.2/webhooks", request)

    expect(await response.json()).toEqual({ result: { secret: "whsec_1234" } })
    expect(recorder.recording()).toEqual({ rest: [], rpc: [] })
  })

  it("fetch: forwards a stream of events while it is open, and treats no word of a path as a key", async () => {
    const events = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode("data: 1\n\n")) })
    const recorder = Recorder.make({
      fetch: async (input, init) =>
        new Request(input, init).method === "GET"
          ? new Response(events, { headers: { "content-type": "text/event-stream" } })
          : Response.json({ jsonrpc: "2.0", id: 1, result: "0x" }),
    })
    const reader = (await recorder.fetch("https://node.example/events")).body?.getReader()
    await recorder.fetch("https://node.example/call", {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_call", params: [{}, "latest"] }),
    })

    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("data: 1\n\n")
    await reader?.cancel()
    await recorder.fetch("https://node.example/v3/hunterkey", {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_call", params: ["hunterkey"] }),
    })
    expect(recorder.recording().rpc.map(({ method }) => method)).toEqual(["eth_call", "eth_call"])
    expect(JSON.stringify(recorder.recording())).not.toContain("hunterkey")
  })

  it("recording: contains no key, in whichever form a server repeats it", async () => {
    const key = 'secret/"key"'
    const echo: FakeService.FakeFetch = async (input, init) => {
      const request = new Request(input, init)
      const body = { keys: [key, encodeURIComponent(key)], cursor: null, page: 0, page_size: 100, result: [] }
      if (request.method === "GET")
        return Response.json(body, { headers: { "x-api-key": key, "daybook-indexed-to": "5" } })
      const { id } = (await request.json()) as { readonly id: unknown }
      return Response.json({ jsonrpc: "2.0", id, result: `node of ${key}` })
    }
    const recorder = Recorder.make({ fetch: echo, secrets: ["host-name.example"] })
    const send = (path: string, init?: RequestInit) => recorder.fetch(`https://host-name.example${path}`, init)
    await send("/api/v2.2/0x1/verbose?api_key=in-query", { headers: { authorization: `Bearer ${key}` } })
    const call = { jsonrpc: "2.0", id: 1, method: "web3_clientVersion", params: ["host-name.example"] }
    await send(`/v3/${encodeURIComponent(key)}`, { method: "POST", body: JSON.stringify(call) })
    const recording = recorder.recording()
    const text = JSON.stringify(recording)

    for (const secret of ["secret", "in-query", "host-name"]) expect(text).not.toContain(secret)
    expect(recording.rest[0]?.headers).toEqual({ "daybook-indexed-to": "5" })
    expect(recording.rpc).toEqual([
      { method: "web3_clientVersion", params: ["<redacted>"], reply: { result: "node of <redacted>" } },
    ])
  })

  it("replay: returns the responses of a repeated call in order, and then repeats the last one", async () => {
    const reply = (result: string) => ({ method: "eth_blockNumber", params: [], reply: { result } })
    const { fetch } = Recorder.replay({ rest: [], rpc: [reply("0x1"), reply("0x2")] })
    const rpc = createRpcClient({ url: "http://node.test", fetch })

    expect(await rpc.eth_blockNumber()).toBe(1n)
    expect(await rpc.eth_blockNumber()).toBe(2n)
    expect(await rpc.eth_blockNumber()).toBe(2n)
  })

  it("replay: names a request that was not recorded, and makes the client repeat nothing", async () => {
    const { fetch } = Recorder.replay({ rest: [], rpc: [] })
    const wallet = FakeService.make({ blocks: 1 }).wallet
    const rest = createRestClient({ baseUrl: "http://daybook.test", apiKey: "any", fetch })
    const rpc = createRpcClient({ url: "http://node.test", fetch })

    await expect(rest.walletTransactions({ address: wallet })).rejects.toMatchObject({
      _tag: "BadRequest",
      message: expect.stringContaining("Request not recorded"),
      attempts: [{ outcome: "400" }],
    })
    await expect(rpc.eth_chainId()).rejects.toMatchObject({
      _tag: "RpcError",
      message: expect.stringContaining("Call not recorded: eth_chainId []"),
    })
  })

  it("replay: rejects a value that is not a recording", () => {
    expect(() => Recorder.replay({ rest: [{ request: "/", status: 20, headers: {}, body: 1 }], rpc: [] })).toThrow(
      'Invalid recording "rest[0].status": expected a value between 200 and 599, received 20.',
    )
  })
})
