/** Options shared by both clients. The same test runs each option with both. */
import { describe, expect, it } from "vitest"
import type { Client as RestOptions } from "@daybook/rest"
import * as Rest from "@daybook/rest/promise"
import type { Options as RpcOptions } from "@daybook/rpc"
import * as Rpc from "@daybook/rpc/promise"

type SharedOption = keyof RestOptions.Options & keyof RpcOptions.CommonOptions
type SharedCallOption = keyof Rest.CallOptions & keyof Rpc.CallOptions
type Shared = Pick<RestOptions.Options, Exclude<SharedOption, "retry">> & Pick<RpcOptions.CommonOptions, "retry">

/** Every shared option, so that a new one does not compile until it is listed and tested below. */
const options = {
  timeout: true,
  retry: true,
  maxBytes: true,
  fetch: true,
  headers: true,
  userAgent: true,
  onEvent: true,
  rateLimit: true,
} satisfies Record<SharedOption, true>

const callOptions = { timeout: true, headers: true, signal: true } satisfies Record<SharedCallOption, true>

type CallOptions = Pick<Rest.CallOptions, SharedCallOption>
type Fetch = NonNullable<Shared["fetch"]>
type Call = (options?: CallOptions) => Promise<unknown>

const address = "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"

/** A call by each client, and the text of its response. */
const clients: Readonly<
  Record<
    string,
    {
      readonly make: (given: Partial<Shared>) => Call
      readonly with: (given: Partial<Shared>, options: ReadonlyArray<CallOptions>) => Promise<unknown>
      readonly text: (body: unknown) => string
    }
  >
> = {
  rest: {
    make: (given) => {
      const client = Rest.createRestClient({ baseUrl: "http://host.test", apiKey: "key-1", ...given })
      return (call) => client.walletTransactions({ address }, call)
    },
    with: async (given, options) => {
      let client = Rest.createRestClient({ baseUrl: "http://host.test", apiKey: "key-1", ...given })
      for (const one of options) client = client.with(one)
      return client.walletTransactions({ address })
    },
    text: () => JSON.stringify({ cursor: null, page: "0", page_size: "100", result: [] }),
  },
  rpc: {
    make: (given) => {
      const client = Rpc.createRpcClient({ url: "http://host.test", ...given })
      return async (call) => (call === undefined ? client : client.with(call)).eth_chainId()
    },
    with: async (given, options) => {
      let client = Rpc.createRpcClient({ url: "http://host.test", ...given })
      for (const one of options) client = client.with(one)
      return client.eth_chainId()
    },
    text: (body) =>
      JSON.stringify({ jsonrpc: "2.0", id: (JSON.parse(String(body)) as { id: number }).id, result: "0x1" }),
  },
}

interface Outgoing {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

describe.each(Object.keys(clients))("options of %s", (name) => {
  const { make, text } = clients[name]!

  /** A `fetch` that responds with these statuses in turn, then with 200, and records its arguments. */
  const serve = (...statuses: ReadonlyArray<number>) => {
    const sent: Array<Outgoing> = []
    const fetch: Fetch = async (url, { body, headers }) => {
      sent.push({ url, headers: { ...headers } })
      const status = statuses[sent.length - 1] ?? 200
      return new Response(status === 200 ? text(body) : "busy", { status })
    }
    return { sent, fetch }
  }

  /** A client, and its consecutive calls with the options that \`with\` returns. */
  const bound = (given: Partial<Shared>) => {
    const { with: withOptions } = clients[name]!
    return { client: make(given), own: (...options: ReadonlyArray<CallOptions>) => withOptions(given, options) }
  }

  /** A `fetch` that never receives a response. */
  const stalled: Fetch = (_url, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))))

  it("fetch, headers, userAgent: send the call with their values", async () => {
    const { fetch, sent } = serve()
    await make({ fetch, headers: { "X-Team": "blue" }, userAgent: "tax-app/2" })()

    expect(sent).toMatchObject([{ headers: { "x-team": "blue", "user-agent": "tax-app/2" } }])
    expect(sent[0]?.url).toMatch(/^http:\/\/host\.test\//)
  })

  it("userAgent: is the name of the client by default", async () => {
    const { fetch, sent } = serve()
    await make({ fetch })()

    expect(sent[0]?.headers["user-agent"]).toBe(`daybook-${name}`)
    expect(() => make({ fetch, userAgent: "two\nlines" })).toThrow('Invalid option "userAgent"')
  })

  it("headers of a call: replace those of the client, for that call", async () => {
    const { fetch, sent } = serve()
    const call = make({ fetch, headers: { "x-team": "blue", "x-kept": "1" } })
    await call({ headers: { "X-Team": "red" } })
    await call()

    expect(sent.map(({ headers }) => [headers["x-team"], headers["x-kept"]])).toEqual([
      ["red", "1"],
      ["blue", "1"],
    ])
  })

  it("headers of a call: appear in no message and no event", async () => {
    const events: Array<unknown> = []
    const fetch: Fetch = async (_url, { headers }) => new Response(JSON.stringify(headers), { status: 401 })
    const call = make({ fetch, onEvent: (event) => events.push(event) })
    const error: unknown = await call({ headers: { "x-own": "s3cret-of-a-call" } }).catch((caught: unknown) => caught)

    expect(String(error)).toMatch(/Unauthorized|rejected/)
    expect(JSON.stringify([error, String(error), events])).not.toContain("s3cret-of-a-call")
    expect(events.length).toBeGreaterThan(0)
  })

  it("headers of a call: are rejected if they cannot be sent", async () => {
    const { fetch, sent } = serve()
    const call = make({ fetch })

    await expect(call({ headers: { "bad name": "1" } })).rejects.toThrow("a header name of letters, digits and hyphens")
    expect(sent).toEqual([])
  })

  it("onEvent: reports each request, response and retry", async () => {
    const events: Array<string> = []
    const { fetch } = serve(503)
    const onEvent: Shared["onEvent"] = (event) => {
      events.push(
        `${event._tag} ${event.call} ${event.attempt} ${event._tag === "Response" ? event.status : ""}`.trim(),
      )
      throw new Error("a listener cannot end a call")
    }
    await make({ fetch, onEvent, retry: { base: 1, cap: 1 } })()

    expect(events).toEqual(["Request 1 1", "Response 1 1 503", "Retry 1 1", "Request 1 2", "Response 1 2 200"])
  })

  it("onEvent: reports a fault", async () => {
    const events: Array<string> = []
    const fetch: Fetch = () => Promise.reject(new TypeError("fetch failed"))
    const failed = make({ fetch, onEvent: ({ _tag }) => events.push(_tag), retry: { maxAttempts: 1 } })()

    await expect(failed).rejects.toMatchObject({ _tag: "TransportError" })
    expect(events).toEqual(["Request", "Fault"])
  })

  it("retry: limits the number of requests", async () => {
    const { fetch, sent } = serve(503, 503, 503)
    const failed = make({ fetch, retry: { maxAttempts: 2, base: 1, cap: 1 } })()

    await expect(failed).rejects.toMatchObject({ attempts: [{ outcome: "503" }, { outcome: "503" }] })
    expect(sent.length).toBe(2)
  })

  it("maxBytes: rejects a longer response", async () => {
    const failed = make({ fetch: serve().fetch, maxBytes: 10 })()

    await expect(failed).rejects.toMatchObject({ _tag: "InvalidResponse", reason: "too-large" })
  })

  it("timeout: ends a call, and a call's own timeout overrides the client's", async () => {
    const expected = { _tag: "TimeoutError", phase: "headers" }

    await expect(make({ fetch: stalled, timeout: 5 })()).rejects.toMatchObject(expected)
    await expect(make({ fetch: stalled, timeout: "1 hour" })({ timeout: 5 })).rejects.toMatchObject(expected)
  })

  it("signal of a call: ends it with its reason", async () => {
    const controller = new AbortController()
    const failed = make({ fetch: stalled })({ signal: controller.signal })
    controller.abort(new Error("stopped"))

    await expect(failed).rejects.toThrow("stopped")
  })

  it("rateLimit: rejects a request whose turn is after the deadline, and sends none", async () => {
    const { fetch, sent } = serve()
    const call = make({ fetch, rateLimit: { perSecond: 0.001, burst: 1 }, timeout: "10 seconds" })
    await call()

    await expect(call()).rejects.toMatchObject({ _tag: "RateLimited", scope: "call" })
    expect(sent.length).toBe(1)
    expect(() => make({ fetch, rateLimit: { perSecond: -1 } })).toThrow('Invalid option "rateLimit.perSecond"')
  })

  it("with: applies options to its calls, which a call can override, and does not change the client", async () => {
    const { fetch, sent } = serve()
    const { client, own } = bound({ fetch, headers: { "x-team": "blue" } })
    await own({ headers: { "x-team": "red", "x-first": "1" } })
    await own({ headers: { "x-first": "1" } }, { headers: { "x-second": "2" } })
    await client()

    expect(sent.map(({ headers }) => [headers["x-team"], headers["x-first"], headers["x-second"]])).toEqual([
      ["red", "1", undefined],
      ["blue", "1", "2"],
      ["blue", undefined, undefined],
    ])
    await expect(bound({ fetch: stalled }).own({ timeout: 5 })).rejects.toMatchObject({ _tag: "TimeoutError" })
    await expect(own({ timeout: 0 })).rejects.toThrow('Invalid option "timeout"')
    await expect(own(5 as never)).rejects.toThrow("Invalid option")
  })

  it("options: reject the same invalid values", async () => {
    const { fetch, sent } = serve()
    const invalid: Record<keyof typeof options, unknown> = {
      timeout: 0,
      retry: 3,
      maxBytes: 0,
      fetch: 5,
      headers: "x: y",
      userAgent: 5,
      onEvent: {},
      rateLimit: 5,
    }
    for (const [option, value] of Object.entries(invalid))
      expect(() => make({ fetch, [option]: value })).toThrow(`Invalid option "${option}"`)
    const invalidOfCall: Record<keyof typeof callOptions, unknown> = { timeout: 0, headers: "x: y", signal: 5 }
    for (const [option, value] of Object.entries(invalidOfCall))
      await expect(make({ fetch })({ [option]: value })).rejects.toThrow(`Invalid option "${option}"`)

    expect(sent).toEqual([])
  })
})
