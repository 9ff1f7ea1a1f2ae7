/** Tests which changes a service applies on SIGHUP and which it rejects, while clients read pages continuously. */
import { execFileSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Eventually } from "@daybook/harness"
import { Effect } from "effect"
import * as Campaign from "../campaign/Campaign.ts"
import * as Setup from "./Setup.ts"

type World = Effect.Success<ReturnType<typeof Setup.start>>

/** Enough connections that each of two processes accepts some. */
const probes = 8

/** Responses on separate connections. */
const probe = (url: string, key?: string) =>
  Promise.all(Array.from({ length: probes }, () => Setup.get(url, key === undefined ? {} : { "x-api-key": key })))

/** Reloads the configuration, and waits for a log line that starts with the text. */
const reload = Effect.fnUntraced(function* ({ logged, service, until }: World, line: string) {
  const before = logged().length
  const startedAt = performance.now()
  service.signal("SIGHUP")
  yield* until(
    line,
    Effect.sync(() => logged().slice(before).includes(line)),
  )
  return performance.now() - startedAt
})

/** A step: an action, and whether all connections reflect it afterwards. */
interface Step {
  readonly name: string
  readonly run: (world: World) => Effect.Effect<boolean, Eventually.ConditionNotMet>
}

const every = (responses: ReadonlyArray<Setup.Response>, holds: (response: Setup.Response) => boolean) =>
  responses.every(holds)
const limitOf = ({ headers }: Setup.Response) => headers["ratelimit-limit"]

/** True if all processes have the rate limit of the last valid configuration, and its certificate. */
const isAsBefore = Effect.fnUntraced(function* ({ key, page }: World, fingerprint: string) {
  const responses = yield* Effect.promise(() => probe(page, key))
  return every(responses, (each) => limitOf(each) === "777777" && each.fingerprint === fingerprint)
})

const changed = ({ chain, eth, first }: World) => ({
  ...first,
  rateLimit: { perSecond: 777_777, burst: 777_777 },
  chains: { eth: chain(eth.url, { labels: { [eth.wallet]: "Treasury" } }) },
})

const withBase = (world: World) => {
  const changedConfig = changed(world)
  return { ...changedConfig, anonymous: {}, chains: { ...changedConfig.chains, base: world.chain(world.other.url) } }
}

const fingerprintOf = (world: World) =>
  Effect.promise(async () => (await Setup.get(`${world.url}/health`, {})).fingerprint)

/** Writes an invalid configuration or certificate, and verifies that nothing changed. */
const refuses = (invalidate: (world: World) => void, message: (world: World) => string): Step["run"] =>
  Effect.fnUntraced(function* (world) {
    const before = yield* fingerprintOf(world)
    invalidate(world)
    yield* reload(world, `Configuration not reloaded: ${message(world)}`)
    return yield* isAsBefore(world, before)
  })

const childrenOf = (pid: number): ReadonlyArray<number> =>
  execFileSync("pgrep", ["-P", String(pid)], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map(Number)

const steps: ReadonlyArray<Step> = [
  {
    name: "labels, limits",
    run: Effect.fnUntraced(function* (world) {
      world.write(JSON.stringify(changed(world)))
      yield* reload(world, "Configuration reloaded: rateLimit, chains.eth.labels")
      const responses = yield* Effect.promise(() => probe(world.page, world.key))
      return every(
        responses,
        (each) => limitOf(each) === "777777" && each.text.includes('"from_address_label":"Treasury"'),
      )
    }),
  },
  {
    name: "a chain, callers without a key",
    run: Effect.fnUntraced(function* (world) {
      world.write(JSON.stringify(withBase(world)))
      yield* reload(world, "Configuration reloaded: anonymous, chains.base (added)")
      yield* world.until("the chain is indexed", world.isSynced("base"))
      const url = `${world.url}/api/v2.2/${world.other.wallet}/verbose?chain=base`
      const responses = yield* Effect.promise(async () => [
        ...(await probe(url, world.key)),
        ...(await probe(world.page)),
      ])
      return every(responses, ({ status }) => status === 200)
    }),
  },
  {
    name: "a key added, and revoked (immediately)",
    run: Effect.fnUntraced(function* ({ command, page }) {
      const key = command("keys", "add", "later")
      const before = yield* Effect.promise(() => probe(page, key))
      command("keys", "revoke", "later")
      const after = yield* Effect.promise(() => probe(page, key))
      return every(before, ({ status }) => status === 200) && every(after, ({ status }) => status === 401)
    }),
  },
  {
    name: "a certificate",
    run: Effect.fnUntraced(function* (world) {
      const before = yield* fingerprintOf(world)
      world.renew("second")
      yield* reload(world, "Configuration reloaded: no changes")
      const responses = yield* Effect.promise(() => probe(world.page, world.key))
      return every(responses, ({ fingerprint }) => fingerprint !== before && fingerprint === responses[0]!.fingerprint)
    }),
  },
  {
    name: "invalid JSON: rejected",
    run: refuses(
      ({ write }) => write("{"),
      () => "Invalid JSON",
    ),
  },
  {
    name: "an invalid value: rejected",
    run: refuses(
      (world) => world.write(JSON.stringify({ ...withBase(world), maxLimit: 0 })),
      (world) =>
        `${join(world.base, "daybook.json")}:1: Invalid configuration "maxLimit": expected a value between 1 and 1000`,
    ),
  },
  {
    name: "an invalid certificate: rejected",
    run: refuses(
      (world) => {
        world.write(JSON.stringify({ ...withBase(world), maxLimit: 50 }))
        writeFileSync(join(world.base, "cert.pem"), "none")
      },
      () => 'Cannot use the certificate of "tls"',
    ),
  },
]

/** A killed process is restarted with the configuration of the others, not with that of the file. */
const killOne = Effect.fnUntraced(function* (world: World) {
  let response: Setup.Response | null = null
  world.renew("third")
  world.write(JSON.stringify({ ...withBase(world), listen: { ...world.first.listen, port: world.unused } }))
  yield* reload(world, "Takes effect after a restart of the service: listen")
  world.write("{")
  const parent = world.service.pid()
  const [killed = 0, left = 0] = childrenOf(parent)
  process.kill(killed, "SIGKILL")
  const isRestarted = () => {
    const children = childrenOf(parent)
    return children.length === 2 && !children.includes(killed)
  }
  yield* world.until("the process is restarted", Effect.sync(isRestarted))
  // The remaining old process is suspended, so that the other one responds.
  process.kill(left, "SIGSTOP")
  const pageResponse = Effect.promise(() => Setup.get(world.page, { "x-api-key": world.key }).catch(() => null))
  yield* world.until(
    "the process responds",
    Effect.map(
      Effect.timeoutOrElse(pageResponse, { duration: "1 second", orElse: () => Effect.succeed(null) }),
      (received) => {
        if (received !== null) response = received
        return received !== null
      },
    ),
  )
  process.kill(left, "SIGCONT")
  return response !== null && limitOf(response) === "777777"
})

/** Runs all steps on a service of a kind; prints a row for each. */
const measure = Effect.fnUntraced(function* (kind: Setup.Kind, name: string, { fail, print }: Campaign.Output) {
  const row = (step: string, isRight: boolean, more: string) => {
    print(Campaign.row([name, step, isRight ? "yes" : "NO", more]))
    if (!isRight) fail(step)
  }
  const world = yield* Setup.start(kind)
  const end = yield* world.traffic
  for (const { name: step, run } of steps) {
    const startedAt = performance.now()
    const isRight = yield* run(world)
    row(step, isRight, (performance.now() - startedAt).toFixed(0))
  }
  const { failures, requests } = yield* end
  const meanwhile = `${requests} requests meanwhile, ${failures.length} without a page`
  row(meanwhile, failures.length === 0, [...new Set(failures)].join())
  if (kind.processes > 1) row("a restarted process has it too", yield* killOne(world), "")
})

const kinds = (["SQLite", "PostgreSQL"] as const).flatMap((database) =>
  [1, 2].map((processes): Setup.Kind => ({ database, processes })),
)

Campaign.main({
  name: "reloads",
  about:
    "Changes the configuration, the keys and the certificate of a service, with one process and with two, on SQLite and PostgreSQL. Fails if a connection does not reflect a change or reflects an invalid one, or if a client receives no page. Requires openssl.",
  options: {},
  plan: () =>
    Effect.succeed({
      columns: ["service", "on SIGHUP", "right", "ms"],
      cases: kinds.map((kind) => {
        const name = `${kind.processes === 1 ? "one process" : "two processes"}, ${kind.database}`
        return { name, run: (report) => measure(kind, name, report) }
      }),
    }),
})
