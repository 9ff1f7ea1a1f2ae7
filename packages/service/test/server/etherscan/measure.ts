/**
 * Measures the CPU time of the service for lists of Etherscan's API, and for the same rows of the REST operation. A child process sends
 * the requests of each kind in turns, one at a time.
 */
import { spawn } from "node:child_process"
import { Effect } from "effect"
import * as Campaign from "../../campaign/Campaign.ts"
import * as Rows from "../rows.ts"
import { start, type Started } from "../service.ts"

const perBlock = 50

/**
 * Sends requests from a child process, each after the previous response was read; a cursor in the last response is used for the next
 * request.
 */
const client = `
const [url, key, path, count] = process.argv.slice(1)
const read = async (at) => {
  const response = await fetch(url + at, { headers: { "x-api-key": key } })
  const body = await response.json()
  if (response.status !== 200 || body.status === "0") throw new Error(JSON.stringify(body).slice(0, 300))
  return body
}
for (let sent = 0; sent < Number(count); sent++) {
  for (let cursor = ""; cursor !== null;) {
    const place = cursor === "" ? "" : "&cursor=" + cursor
    const body = await read(path.replace("CURSOR", place).replace("FRESH", String(1e7 + Math.floor(Math.random() * 1e8))))
    cursor = path.includes("CURSOR") ? (body.cursor || null) : null
  }
}
`

const run = ({ key, url }: Started, path: string, count: number) =>
  Effect.callback<void>((resume) => {
    const child = spawn(process.execPath, ["-e", client, url, key, path, String(count)], { stdio: "inherit" })
    child.once("exit", (code) => resume(code === 0 ? Effect.void : Effect.die(new Error(`${path}: code ${code}`))))
    return Effect.sync(() => child.kill("SIGKILL"))
  })

const millisOf = ({ system, user }: NodeJS.CpuUsage) => (system + user) / 1_000

Campaign.main({
  name: "etherscan:times",
  about: "Measures the CPU time of lists of Etherscan's API, compared with REST pages of the same rows.",
  options: {
    rows: [10_000, "transactions of the wallet"],
    turns: [5, "turns per kind"],
    requests: [20, "requests of a short list per turn"],
  },
  plan: Effect.fnUntraced(function* ({ requests, rows, turns }) {
    const plans = Array.from({ length: perBlock }, () => ({
      from: Rows.alice,
      to: Rows.bob,
      topics: Rows.transferTopics,
    }))
    const blocks = Array.from({ length: Math.ceil(rows / perBlock) }, (_, number) => Rows.block(number, plans))
    const service = yield* start({ chains: { eth: { blocks } } })
    const txlist = `/v2/api?chainid=1&module=account&action=txlist&address=${Rows.alice}&sort=desc&apikey=${service.key}`
    const rest = `/api/v2.2/${Rows.alice}/verbose?chain=eth`
    const kinds = [
      ["REST, a page of 25", `${rest}&limit=25`, requests],
      ["txlist, page=1&offset=25", `${txlist}&page=1&offset=25`, requests],
      [`txlist, page=${rows / 25}&offset=25`, `${txlist}&page=${rows / 25}&offset=25`, requests],
      // A range that was not requested before, so that none of its positions are cached.
      [
        `txlist, page=${rows / 25}&offset=25 of another range`,
        `${txlist}&endblock=FRESH&page=${rows / 25}&offset=25`,
        requests,
      ],
      [`REST, ${rows} rows by pages of 100`, `${rest}&limit=100CURSOR`, 1],
      [`txlist, offset=${rows}`, `${txlist}&page=1&offset=${rows}`, 1],
    ] as const
    const totals = kinds.map(() => [] as Array<number>)
    // The first turn is a warm-up.
    for (let turn = 0; turn <= turns; turn++) {
      for (const [at, [, path, count]] of kinds.entries()) {
        const before = process.cpuUsage()
        yield* run(service, path, count)
        if (turn > 0) totals[at]!.push(millisOf(process.cpuUsage(before)) / count)
      }
    }
    const median = (values: ReadonlyArray<number>) => values.toSorted((one, other) => one - other)[values.length >> 1]!
    return {
      columns: ["request", "CPU of the service, ms"],
      cases: kinds.map(([name], at) => ({ name, run: () => Effect.succeed([median(totals[at]!).toFixed(2)]) })),
    }
  }),
})
