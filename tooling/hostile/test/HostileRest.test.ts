import { afterEach, describe, expect, it } from "vitest"
import { gunzipSync } from "node:zlib"
import { Payload } from "@daybook/harness"
import { HostileRest, RestFault, WalletHistory } from "@daybook/hostile"
import { send, type Received } from "@daybook/harness/HttpRequest"

const servers: Array<HostileRest.Server> = []

const history = WalletHistory.make(2, { rows: 20 })
const newestFirst = history.toReversed()

const start = async (script: HostileRest.Options["script"] = []) => {
  const rest = await HostileRest.start({ history, pageSize: 6, script })
  servers.push(rest)
  return rest
}

afterEach(async () => {
  await Promise.all(servers.splice(0).map((rest) => rest.stop()))
})

const path = `/api/v2.2/${WalletHistory.wallet}/verbose`
const get = (rest: HostileRest.Server, query: string, timeoutMillis = 5_000) =>
  send(`${rest.url}${path}${query}`, { timeoutMillis, headers: { "accept-encoding": "gzip" } })

interface Page {
  readonly cursor?: string | null
  readonly page: unknown
  readonly page_size: unknown
  readonly result: ReadonlyArray<Readonly<Record<string, unknown>>>
}

const json = ({ text }: Received) => JSON.parse(text) as Page
const rowsAt = (from: number, to: number) => newestFirst.slice(from, to)
const correct = { page: "1", page_size: "6", cursor: "at-12", result: rowsAt(6, 12) }
const isCorrect = (received: Received) => expect(json(received)).toEqual(correct)
const isPage = (from: number, to: number, cursor: string | null) => (received: Received) =>
  expect(json(received)).toEqual({ ...correct, cursor, result: rowsAt(from, to) })
const status =
  (code: number, text: string | RegExp, headers: object = {}) =>
  (received: Received) => {
    expect(received.status).toBe(code)
    expect(received.text).toMatch(text)
    expect(received.headers).toMatchObject(headers)
  }
const leaves = (value: unknown): ReadonlyArray<unknown> =>
  typeof value === "object" && value !== null ? Object.values(value).flatMap(leaves) : [value]

/** The form of each fault on the wire, on the second page of 20 rows in pages of 6, newest first. */
const forms: Readonly<Record<RestFault.Name, (received: Received) => void>> = {
  none: isCorrect,
  nulls: (received) => {
    expect(leaves(json(received))).not.toContain("")
    expect(json(received).result.map(({ receipt_root }) => receipt_root)).toEqual([null, null, null, null, null, null])
  },
  emptyStrings: (received) => {
    const labels = json(received).result.flatMap((row) => [row["from_address_label"], row["to_address_label"]])
    expect(labels).toContain("")
    expect(labels).not.toContain(null)
  },
  numbers: (received) => {
    const { page, page_size, result } = json(received)
    expect([page, page_size]).toEqual([0, 100])
    expect(result.map(({ block_number }) => block_number)).toEqual(rowsAt(6, 12).map((row) => Number(row.block_number)))
  },
  unknownKeys: (received) => {
    expect(json(received)).toHaveProperty("total", null)
    expect(json(received).result[0]).toMatchObject({ ...rowsAt(6, 7)[0], from_address_entity: "Bank" })
  },
  objectForList: (received) => {
    expect(json(received).cursor).toBe("at-7")
    expect(json(received).result).toMatchObject({ hash: rowsAt(6, 7)[0]?.hash })
  },
  gzip: (received) => {
    expect(received.headers["content-encoding"]).toBe("gzip")
    expect(JSON.parse(gunzipSync(received.body).toString())).toEqual(correct)
  },
  drip: (received) => {
    isCorrect(received)
    expect(received.chunks).toBeGreaterThan(2)
  },
  emptyPage: isPage(0, 0, "at-6-1"),
  overlap: isPage(3, 12, "at-12"),
  duplicateRow: (received) => expect(json(received).result).toEqual([...rowsAt(6, 12), ...rowsAt(11, 12)]),
  repeatedPage: isPage(0, 6, "at-6-1"),
  missingCursor: isPage(6, 12, null),
  absentCursor: (received) => {
    expect(json(received).result).toEqual(rowsAt(6, 12))
    expect(json(received)).not.toHaveProperty("cursor")
  },
  cycle: isPage(6, 12, "at-6"),
  wrongOrder: (received) => {
    const served = json(received).result
    const times = served.map((row) => Date.parse(String(row["block_timestamp"])))
    expect(new Set(served.map(({ hash }) => hash))).toEqual(new Set(rowsAt(6, 12).map(({ hash }) => hash)))
    expect(times.filter((time, at) => at > 0 && time > (times[at - 1] ?? 0)).length).toBe(1)
  },
  undecodableRow: (received) =>
    expect(json(received).result.map(({ block_number }) => block_number)).toEqual(["twelve"]),
  notPage: (received) => expect(json(received)).toEqual({ hello: "world" }),
  html: status(200, /^<!DOCTYPE html>/, { "content-type": "text/html" }),
  emptyBody: status(200, /^$/),
  truncatedJson: (received) => {
    expect(received.end).toBe("whole")
    expect(received.text).toBe(JSON.stringify(correct).slice(0, -5))
  },
  oversize: (received) => {
    expect(received.body.length).toBeGreaterThan(Payload.oversizeBytes)
    isCorrect(received)
  },
  gzipBomb: (received) => expect(gunzipSync(received.body).length).toBeGreaterThan(Payload.bombBytes),
  wrongEncoding: (received) => {
    isCorrect(received)
    expect(received.headers["content-encoding"]).toBe("gzip")
  },
  redirect: status(302, /^$/, { location: "/elsewhere" }),
  closedBefore: (received) => expect([received.status, received.end]).toEqual([undefined, "broken"]),
  closedAfter: (received) => expect([received.status, received.text, received.end]).toEqual([200, "", "broken"]),
  truncatedBody: (received) => {
    expect(received.end).toBe("broken")
    expect(received.body.length).toBe(Number(received.headers["content-length"]) >> 1)
  },
  stalledHeaders: (received) => expect([received.status, received.end]).toEqual([undefined, "timed out"]),
  stalledBody: (received) => {
    expect(received.end).toBe("timed out")
    expect(received.body.length).toBe(Number(received.headers["content-length"]) >> 1)
  },
  endless: (received) => {
    expect(received.end).toBe("timed out")
    isCorrect(received)
  },
  limitedBare: status(429, /^{"message":"Too Many Requests"}$/),
  limitedPage: status(429, /^<!DOCTYPE html>/),
  limitedSeconds: status(429, /^{"message"/, { "retry-after": "2" }),
  limitedDate: (received) => {
    const { date = "", "retry-after": until = "" } = received.headers
    expect(received.status).toBe(429)
    expect(Date.parse(until) - Date.parse(date)).toBe(2_000)
  },
  limitedContract: status(429, /"code":"rate_limited"/, { "retry-after": "2", "ratelimit-remaining": "0" }),
  unavailable: status(503, /"code":"unavailable"/, { "retry-after": "2" }),
  unavailablePage: status(503, /^<!DOCTYPE html>/),
  serverError: status(500, /^{"message":"Internal server error"}$/),
  serverErrorContract: status(500, /"code":"internal"/),
  badGateway: status(502, /^<!DOCTYPE html>/),
  unauthorized: status(401, /^{"message":"Token is invalid format"}$/),
  quotaExceeded: status(401, /has been consumed/),
  badRequest: status(400, /"code":"bad_request"/),
  messageText: status(400, /^{"message":"cursor is not valid"}$/),
  messageList: status(400, /^{"message":\["limit/),
  forbidden: status(403, /"code":"forbidden"/),
  notFound: status(404, /^{"message":"Cannot GET/),
  staleCursor: (received) => {
    expect(received.status).toBe(409)
    expect(json(received)).toMatchObject({
      code: "stale_cursor",
      resumeFromBlock: Number(rowsAt(6, 7)[0]?.block_number),
    })
  },
}

/** Short for responses that never end, long for all others. */
const timeoutOf = (fault: RestFault.Name) =>
  RestFault.all[fault].outcomes.some((tag) => tag === "TimeoutError") ? 300 : 5_000

describe("HostileRest", () => {
  it.each(RestFault.names)("start: sends %s as its table row describes", async (fault) => {
    const rest = await start([{ fault, waitMillis: 2_000 }])
    const received = await get(rest, "?order=DESC&cursor=at-6", timeoutOf(fault))

    forms[fault](received)
    expect(rest.exchanges()).toMatchObject([{ fault, cursor: "at-6" }])
    expect(rest.histogram()).toEqual({ [fault]: 1 })
  })

  it("start: serves the history in both orders, page by page, to a last page without a cursor", async () => {
    const rest = await start()
    for (const order of ["ASC", "DESC"]) {
      const rows: Array<unknown> = []
      let cursor: string | null | undefined = ""
      while (cursor !== null) {
        const page: Page = json(await get(rest, `?order=${order}${cursor === "" ? "" : `&cursor=${cursor}`}`))
        rows.push(...page.result)
        cursor = page.cursor ?? null
      }
      expect(rows).toEqual(WalletHistory.ordered(history, order))
    }

    expect(rest.exchanges().map(({ served }) => served.length)).toEqual([6, 6, 6, 2, 6, 6, 6, 2])
  })

  it("start: applies limit and the block range", async () => {
    const rest = await start()
    const [from, to] = [history[3]?.block_number, history[9]?.block_number]
    const page = json(await get(rest, `?limit=2&from_block=${from}&to_block=${to}&order=ASC`))
    const inRange = history.filter(
      ({ block_number }) => Number(block_number) >= Number(from) && Number(block_number) <= Number(to),
    )

    expect([page.result, page.page_size]).toEqual([inRange.slice(0, 2), "2"])
  })

  it("start: responds correctly if a fault does not apply, and records that", async () => {
    const rest = await start([{ fault: "cycle" }, { fault: "overlap" }, { fault: "repeatedPage" }])
    const pages = [await get(rest, ""), await get(rest, ""), await get(rest, "")]

    expect(pages.map((received) => json(received).result)).toEqual([rowsAt(0, 6), rowsAt(0, 6), rowsAt(0, 6)])
    expect(rest.histogram()).toEqual({ none: 3 })
  })

  it("start: a function can choose the fault by the attempt of a page", async () => {
    const rest = await start(({ attempt }) => ({ fault: attempt === 1 ? "serverError" : "none" }))
    const statuses: Array<number | undefined> = []
    for (const query of ["", "", "?cursor=at-6", "?cursor=at-6"]) statuses.push((await get(rest, query)).status)

    expect(statuses).toEqual([500, 200, 500, 200])
  })

  it("start: rejects another path with 404 and a cursor of another server with 400", async () => {
    const rest = await start()

    expect((await send(`${rest.url}/elsewhere`)).status).toBe(404)
    expect((await get(rest, "?cursor=abc")).status).toBe(400)
  })
})
