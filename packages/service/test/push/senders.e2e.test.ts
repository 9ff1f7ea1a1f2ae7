/**
 * Two processes that send the webhooks of a PostgreSQL database: one is killed while it sends, and the other continues.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Eventually from "@daybook/harness/Eventually"
import * as LocalServer from "@daybook/harness/LocalServer"
import { verifyWebhook, type WebhookMessage } from "@daybook/rest/webhook"
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Webhook from "../../src/push/Webhook.ts"
import { notBegun } from "../../src/store/WebhookWallets.ts"
import { main } from "../cli/daybook.ts"
import * as Rows from "../server/rows.ts"
import * as EmbeddedServer from "../store/postgres/EmbeddedServer.ts"
import * as TestServer from "../store/postgres/TestServer.ts"
import * as TestStore from "../store/TestStore.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

const key = "k".repeat(40)

const server = Effect.acquireRelease(
  Effect.promise(() => EmbeddedServer.start()),
  ({ stop, url }) => Effect.promise(() => TestServer.removeAll(url).then(stop)),
)

/** A process with the role `rest`, once it listens. */
const startProcess = Effect.fnUntraced(function* (database: string) {
  const folder = yield* temporaryFolder
  const config = {
    listen: { host: "127.0.0.1", port: 0 },
    database,
    chains: { eth: { rpc: ["http://127.0.0.1:65535/"] } },
    webhooks: { key, allowPrivate: true },
  }
  writeFileSync(join(folder, "daybook.json"), JSON.stringify(config))
  const arguments_ = [main, "serve", "--config", "daybook.json", "--role", "rest"]
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, arguments_, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] })),
    (started) => Effect.sync(() => void started.kill("SIGKILL")),
  )
  let output = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()))
  yield* Effect.promise(() => Eventually.until(() => output.includes("Listening on"), { what: "a process listens" }))
  return child
})

const kill = (child: ChildProcess) =>
  Effect.promise(async () => {
    const ended = once(child, "exit")
    child.kill("SIGKILL")
    await ended
  })

interface Arrived {
  readonly id: string
  readonly body: string
  readonly message: WebhookMessage
}

/** A receiver that verifies incoming messages, and does not answer while it hangs. */
const receive = Effect.gen(function* () {
  const state = { secret: "", isHanging: false }
  const arrived: Array<Arrived> = []
  const { url } = yield* LocalServer.scoped(() =>
    LocalServer.start(({ body, headers }, response) => {
      const text = body.toString()
      void verifyWebhook(text, headers, state.secret).then(({ id, message }) => {
        arrived.push({ id, body: text, message })
        if (!state.isHanging) response.writeHead(204).end()
      })
    }),
  )
  const isCovered = (number: bigint) =>
    arrived.some(
      ({ message }) =>
        message.type === "wallet.events" &&
        message.data.events.some(({ data, type }) => type === "covered" && "number" in data && data.number === number),
    )
  const covered = (number: bigint) =>
    Effect.promise(() => Eventually.until(() => isCovered(number), { what: `block ${number} is covered` }))
  return { state, arrived, covered, url }
})

const blocksOf = (from: number, to: number, parent?: string) => {
  const blocks: Array<ReturnType<typeof Rows.block>> = []
  for (let number = from; number <= to; number++) {
    const plans = Array.from({ length: 30 }, () => ({ from: Rows.alice, to: Rows.bob }))
    blocks.push(Rows.block(number, plans, {}, blocks.at(-1)?.hash ?? parent))
  }
  return blocks
}

describe("senders of webhooks", () => {
  it.live(
    "a sender that is killed after the receiver processed a message is replaced by another with the same id and bytes, and each row takes effect once",
    () =>
      Effect.gen(function* () {
        const { url } = yield* TestServer.emptied((yield* server).url)
        const database = yield* TestServer.connect(url)
        const store = yield* TestStore.open(database, { name: "eth", id: 1 })
        const blocks = blocksOf(0, 9)
        const more = blocksOf(10, 19, blocks.at(-1)!.hash)
        yield* store.append(null, blocks)
        const hook = yield* receive
        const [webhook, { secret }] = yield* Webhook.make(key, {
          url: hook.url,
          chain: "eth",
          types: ["wallet.transaction"],
          finality: "head",
          from: 0,
        })
        hook.state.secret = secret
        yield* database.webhooks.add("books", Webhook.encode(webhook), [notBegun(Rows.alice)])
        const first = yield* startProcess(url)
        yield* hook.covered(9n)
        yield* startProcess(url)
        const answered = hook.arrived.length
        hook.state.isHanging = true
        yield* store.append({ number: 9, hash: blocks.at(-1)!.hash }, more)
        yield* Effect.promise(() => Eventually.until(() => hook.arrived.length > answered, { what: "a message" }))
        yield* kill(first)
        hook.state.isHanging = false
        // The lease expires, as the killed process cannot release it.
        yield* TestServer.rowsOf(url, "UPDATE daybook.webhook SET until = clock_timestamp()")
        yield* hook.covered(19n)
        const ids = hook.arrived.map(({ id }) => id)
        const once = hook.arrived.filter(({ id }, at) => ids.indexOf(id) === at)
        const rows = once.flatMap(({ message }) =>
          message.type === "test"
            ? []
            : message.data.events.flatMap(({ data }) => ("row" in data ? [`${data.row} ${data.revision}`] : [])),
        )

        expect(ids.filter((id, at) => ids.indexOf(id) !== at)).toEqual([ids[answered]])
        expect(hook.arrived[answered + 1]).toEqual(hook.arrived[answered])
        expect(rows).toHaveLength(20 * 30)
        expect(new Set(rows.map((row) => row.split(" ")[0])).size).toBe(20 * 30)
      }).pipe(Effect.scoped),
  )
})
