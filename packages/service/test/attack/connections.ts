/**
 * Attacks with connections: idle connections, incomplete TLS handshakes, and a PostgreSQL server whose connections are taken by other
 * clients.
 */
import { cpSync, readdirSync } from "node:fs"
import { connect, type Socket } from "node:net"
import { join } from "node:path"
import { Head } from "@daybook/chain"
import { Eventually } from "@daybook/harness"
import { Effect } from "effect"
import { daybookProcess } from "../cli/daybook.ts"
import * as EmbeddedServer from "../store/postgres/EmbeddedServer.ts"
import * as AttackedChain from "./AttackedChain.ts"
import * as Client from "./Client.ts"
import * as LargeRows from "./LargeRows.ts"
import type { Scenario } from "./Scenario.ts"

const fill = async (folder: string): Promise<void> =>
  await LargeRows.fill(folder, { count: 2, calldataBytes: 100, logs: 1, internalBytes: 100 })

/** Opens a connection from a local address and discards the received data. */
const openFrom = async (port: number, localAddress: string): Promise<Socket> => {
  const socket = connect({ host: "127.0.0.1", port, localAddress })
  await new Promise((resolve) => socket.on("error", resolve).once("connect", resolve))
  return socket.resume()
}

/** Opens connections, alternating between source addresses. */
const openAll = async (url: string, count: number, addresses: number): Promise<ReadonlyArray<Socket>> => {
  const port = Number(new URL(url).port)
  const sockets: Array<Socket> = []
  for (let from = 0; from < count; from += 200) {
    const some = Array.from({ length: Math.min(200, count - from) }, (_, at) =>
      openFrom(port, `127.0.1.${1 + ((from + at) % addresses)}`),
    )
    sockets.push(...(await Promise.all(some)))
  }
  return sockets
}

const descriptorsOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length

const openOf = (sockets: ReadonlyArray<Socket>): number => sockets.filter(({ destroyed }) => !destroyed).length

/** Upper limit of file descriptors after an attack, for the connections of the keys that read. */
const maxLeft = 20

/** Waits for a condition; returns false if it does not hold within a minute. */
const holds = async (condition: () => boolean): Promise<boolean> =>
  await Eventually.until(condition, { everyMillis: 50 }).then(
    () => true,
    () => false,
  )

const counts = { full: 12_000, small: 300 } as const

const idle: Scenario = {
  name: "10,000 idle connections",
  bound: "limits.connections, connectionsPerAddress",
  // Closing 10,000 connections at once takes a single turn of Node: a node:http server without a handler needs 140 to 211 ms.
  turnMillis: 250,
  service: async (scale) => ({
    config: {
      chains: LargeRows.chains,
      limits: scale === "full" ? {} : { connections: 200, connectionsPerAddress: 50 },
    },
    role: "serve",
    prepare: fill,
  }),
  run: async (attacked, scale) => {
    const key = await attacked.key("other")
    const faults: Array<string> = []
    const [most, ofAddress] = scale === "full" ? [10_000, 2_000] : [200, 50]
    const before = descriptorsOf(attacked.pid)
    const sockets = await openAll(attacked.url, counts[scale], 10)
    await Client.sleep(500)
    const held = descriptorsOf(attacked.pid) - before
    if (held > most) faults.push(`${held} connections are open, at most ${most}`)
    const responses: Array<Client.Response> = []
    for (let turn = 0; turn < 20; turn++) {
      responses.push(await Client.page(attacked, key, LargeRows.wallets.small, "&limit=1"))
      await Client.sleep(50)
    }
    const open = openOf(sockets)
    const one = await openAll(attacked.url, ofAddress + 100, 1)
    const ofOne = () => openOf(one) + openOf(sockets.filter((_, at) => at % 10 === 0))
    const isBounded = await holds(() => ofOne() <= ofAddress)
    if (!isBounded) faults.push(`${ofOne()} connections of one address are open, at most ${ofAddress}`)
    responses.push(await Client.page(attacked, key, LargeRows.wallets.small, "&limit=1"))
    for (const socket of [...sockets, ...one]) socket.destroy()
    const left = () => descriptorsOf(attacked.pid) - before
    if (!(await holds(() => left() <= maxLeft))) faults.push(`${left()} descriptors remain`)
    const statuses = responses.map(({ status }) => status)
    if (statuses.some((status) => status !== 200)) faults.push(`another key: ${Client.tally(statuses)}`)
    const slowest = Math.max(...responses.map(({ millis }) => millis))
    return {
      behaviour: `${counts[scale]} opened, ${open} stay open (${held} descriptors); another key: ${Client.tally(statuses)}, slowest ${slowest.toFixed(0)} ms; ${left()} descriptors after`,
      faults,
    }
  },
}

const fixtures = join(import.meta.dirname, "../server/fixtures")

/** Start of a handshake that announces more bytes than follow. */
const unfinished = Buffer.from("1603010200010001fc0303", "hex")

const handshakes: Scenario = {
  name: "incomplete TLS handshakes",
  bound: "limits.connections includes them; 10 s per handshake, and at most 100 are closed in a turn",
  // 1,000 connections that send HTTP instead of a handshake fail in a single turn of Node: a node:https server without a handler needs 247
  // to 297 ms.
  turnMillis: 400,
  service: async (scale) => ({
    config: {
      chains: LargeRows.chains,
      tls: { cert: "tls/localhost.cert.pem", key: "tls/localhost.key.pem" },
      limits: scale === "full" ? {} : { connections: 200, connectionsPerAddress: 50 },
    },
    role: "serve",
    prepare: async (folder) => {
      cpSync(fixtures, join(folder, "../tls"), { recursive: true })
      await fill(folder)
    },
  }),
  run: async (attacked, scale) => {
    const key = await attacked.key("other")
    const faults: Array<string> = []
    const most = scale === "full" ? 10_000 : 200
    const before = descriptorsOf(attacked.pid)
    const sockets = await openAll(attacked.url, counts[scale], 10)
    for (const [at, socket] of sockets.entries()) {
      if (at % 2 === 0) socket.write(unfinished)
      else if (at % 5 === 0) socket.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n")
    }
    await Client.sleep(500)
    const held = descriptorsOf(attacked.pid) - before
    if (held > most + 20) faults.push(`${held} connections are open, at most ${most}`)
    const statuses: Array<number | string> = []
    for (let turn = 0; turn < 10; turn++) {
      const page = Client.page(attacked, key, LargeRows.wallets.small, "&limit=1")
      statuses.push(await page.then(({ status }) => status, String))
      await Client.sleep(50)
    }
    if (statuses.some((status) => status !== 200)) faults.push(`another key: ${Client.tally(statuses)}`)
    const left = () => descriptorsOf(attacked.pid) - before
    const hasEnded = await holds(() => left() <= maxLeft)
    if (!hasEnded) faults.push(`${left()} connections with an incomplete handshake remain`)
    for (const socket of sockets) socket.destroy()
    return {
      behaviour: `${counts[scale]} started, ${held} descriptors; another key: ${Client.tally(statuses)}; ${left()} at the end`,
      faults,
    }
  },
}

interface HeldServer {
  readonly url: string
  /** Takes all free connections; returns their number. */
  readonly takeAll: () => Promise<number>
  readonly giveBack: () => void
  readonly stop: () => Promise<void>
}

/** Startup message of a PostgreSQL client, as superuser. */
const startup = (): Buffer => {
  const body = Buffer.from("user\0postgres\0database\0postgres\0\0")
  const head = Buffer.alloc(8)
  head.writeInt32BE(body.length + 8)
  head.writeInt32BE(196_608, 4)
  return Buffer.concat([head, body])
}

/** Opens a session; undefined if the server rejects it. */
const openSession = async (port: number): Promise<Socket | undefined> =>
  await new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    socket.on("error", () => resolve(undefined)).on("close", () => resolve(undefined))
    socket.on("data", (chunk) => resolve(chunk[0] === "R".charCodeAt(0) ? socket : undefined))
    socket.write(startup())
  })

/** Starts a server whose connections can be taken by other clients. */
const startServer = async (): Promise<HeldServer> => {
  const { stop, url } = await EmbeddedServer.start()
  const port = Number(new URL(url).port)
  const held: Array<Socket> = []
  return {
    url,
    takeAll: async () => {
      for (;;) {
        const session = await openSession(port)
        if (session === undefined) return held.length
        held.push(session)
      }
    },
    giveBack: () => {
      for (const session of held.splice(0)) session.destroy()
    },
    stop,
  }
}

let server: HeldServer | undefined
let chain: AttackedChain.AttackedChain | undefined

const exhausted: Scenario = {
  name: "PostgreSQL connections taken by other clients",
  bound: "503 that names the cause, then a retry; nothing is lost",
  service: async () => {
    server = await startServer()
    chain = await AttackedChain.start()
    await chain.run(Head.mine(chain.node, 5))
    return {
      config: { chains: { attack: { id: 31_337, rpc: [chain.url], pollMillis: 200 } } },
      database: server.url,
      role: "all",
      close: async () => {
        server!.giveBack()
        await chain!.close()
        await server!.stop()
      },
    }
  },
  run: async (attacked, scale) => {
    const faults: Array<string> = []
    const { account, node, run: execute } = chain!
    const key = await attacked.key("reader")
    const mine = async () => {
      const [from, to] = node.accounts as [string, string]
      await execute(Head.transfer(node, { from, to, valueWei: 1n }))
      return (await execute(Head.mine(node))).number
    }
    await AttackedChain.indexed(attacked.url, await mine(), 30)
    const pages = async (turns: number) => {
      const responses: Array<Client.Response> = []
      for (let turn = 0; turn < turns; turn++) {
        responses.push(
          ...(await Promise.all(Array.from({ length: 20 }, () => Client.page(attacked, key, account, "&limit=1")))),
        )
        await mine()
        await Client.sleep(1_000)
      }
      return responses
    }
    const held = await server!.takeAll()
    const turns = scale === "full" ? 15 : 2
    const during = await pages(turns)
    const statuses = during.map(({ status }) => status)
    if (statuses.some((status) => status !== 200 && status !== 503)) faults.push(`pages: ${Client.tally(statuses)}`)
    const withoutRemedy = during.find(({ status, text }) => status === 503 && !/[Rr]etry/.test(text))
    if (withoutRemedy !== undefined) faults.push(`an error without a remedy: ${withoutRemedy.text.slice(0, 200)}`)
    const command = await Effect.runPromise(daybookProcess(attacked.folder, "keys", "list"))
    if (!/too many connections/i.test(command.err))
      faults.push(`keys list: code ${command.code}, ${command.err.slice(0, 200)}`)
    server!.giveBack()
    const number = await mine()
    const { last, reached } = await AttackedChain.indexed(attacked.url, number, 60)
    if (!reached) faults.push(`not indexed in 60 s: ${last.state}, ${last.message}`)
    const after = (await pages(1)).map(({ status }) => status)
    if (after.some((status) => status !== 200)) faults.push(`pages afterwards: ${Client.tally(after)}`)
    const verified = await Effect.runPromise(daybookProcess(attacked.folder, "verify", "--against-node"))
    if (verified.code !== 0) faults.push(`verify ends with ${verified.code}: ${verified.out.slice(-300)}`)
    return {
      behaviour: `${held} connections taken; pages ${Client.tally(statuses)}; "${command.err.trim().slice(0, 120)}"; afterwards ${Client.tally(after)}`,
      faults,
    }
  },
}

export const scenarios: ReadonlyArray<Scenario> = [idle, handshakes, exhausted]
