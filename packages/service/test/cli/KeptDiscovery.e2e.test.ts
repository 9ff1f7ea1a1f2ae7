/** Statements and exports whose process is ended, and which the same command continues. */
import { FakeNode } from "@daybook/harness"
import { type ChildProcess, spawn } from "node:child_process"
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { expect, vi } from "vitest"
import { Anvil, Scenario } from "@daybook/chain"
import * as NodeConnection from "../../src/discovery/NodeConnection.ts"
import * as Discovery from "../../src/discovery/Discovery.ts"
import * as Statement from "../../src/statement/Statement.ts"
import * as server from "../node/server.ts"
import { canary, daybook, type Ended, main, timeout } from "./daybook.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

vi.setConfig({ testTimeout: timeout, hookTimeout: 60_000 })

const scenario = Scenario.layer({ blobs: false, blocks: 20 }).pipe(Layer.provideMerge(Anvil.layer()))

/** A node that records its calls, and that leaves the call `held` unanswered and runs an effect instead. */
const recorded = Effect.fnUntraced(function* (url: string) {
  const forward = server.forward(url)
  const state = { asked: new Array<string>(), held: "", onHeld: () => {} }
  const node = yield* server.start({}, (method, params) => {
    const call = `${method} ${JSON.stringify(params)}`
    state.asked.push(call)
    if (call !== state.held) return forward(method, params)
    state.onHeld()
    return new Promise<never>(() => {})
  })
  return { state, url: `${node.url}${canary}` }
})

type Recorded = Effect.Success<ReturnType<typeof recorded>>

/** The turn of a search in which each call is first sent; 0 for those before the first turn. */
const turnsOf = Effect.fnUntraced(function* ({ state, url }: Recorded, addresses: ReadonlyArray<string>, at: number) {
  const turns = new Map<string, number>()
  let turn = 0
  const endTurn = () => {
    for (const call of state.asked.splice(0)) if (!turns.has(call)) turns.set(call, turn)
    turn += 1
  }
  const connection = yield* NodeConnection.connect({ node: { url } })
  const begun = yield* Statement.begin(connection, { addresses, at })
  endTurn()
  yield* Stream.runDrain(Discovery.make(connection, begun, () => Effect.sync(endTurn)).blocks)
  endTurn()
  return turns
})

/** Runs the command as a process that a signal ends at a call, and returns its calls. */
const endedAt = (
  { state }: Recorded,
  cwd: string,
  args: ReadonlyArray<string>,
  { call, signal }: { readonly call: string; readonly signal: NodeJS.Signals },
): Effect.Effect<Ended & { readonly asked: ReadonlyArray<string> }> =>
  Effect.promise(
    () =>
      new Promise((resolve) => {
        const child: ChildProcess = spawn(process.execPath, [main, ...args], { cwd, stdio: ["ignore", "pipe", "pipe"] })
        let [out, err] = ["", ""]
        child.stdout!.on("data", (chunk: Buffer) => (out += chunk.toString()))
        child.stderr!.on("data", (chunk: Buffer) => (err += chunk.toString()))
        Object.assign(state, { asked: [], held: call, onHeld: () => child.kill(signal) })
        child.on("close", (code) => {
          const { asked } = state
          Object.assign(state, { asked: [], held: "" })
          resolve({ code, out, err, asked })
        })
      }),
  )

/** The calls that were made when a file was written. */
const callsIn = (file: string): number => {
  const database = new DatabaseSync(file)
  try {
    return JSON.parse(String(database.prepare("SELECT details FROM discovery").get()?.["details"])).calls
  } finally {
    database.close()
  }
}

layer(scenario, { excludeTestServices: true })("KeptDiscovery", (it) => {
  it.effect("export: continues after the process was killed at several calls, and writes the same bytes", () =>
    Effect.gen(function* () {
      const anvil = yield* Anvil.Anvil
      const { accounts, lastBlock } = yield* Scenario.Scenario
      const base = yield* temporaryFolder
      const node = yield* recorded(anvil.url)
      const wallets = [accounts.alice, accounts.bob, accounts.heidi]
      const to = (file: string) => [
        "export",
        ...wallets,
        "--rpc",
        node.url,
        "--at",
        String(lastBlock),
        "--format",
        "csv",
        "--output",
        file,
      ]
      const turns = yield* turnsOf(node, wallets, lastBlock)
      const whole = yield* daybook(base, ...to("whole.csv"), "--state", "other")
      // Proofs and openings ask for some balances again.
      const asked = node.state.asked.splice(0)
      for (const call of asked) if (asked.indexOf(call) !== asked.lastIndexOf(call)) turns.set(call, 0)
      const args = [...to("out.csv"), "--state", "state"]
      const searched = [...turns].filter(([, turn]) => turn > 0)
      const [[killedCall, killedTurn], [stoppedCall, stoppedTurn]] = [0.5, 0.9].map(
        (part) => searched[Math.floor(searched.length * part)]!,
      ) as [(typeof searched)[number], (typeof searched)[number]]
      const turnsIn = (asked: ReadonlyArray<string>) =>
        asked.map((call) => turns.get(call) ?? 0).filter((turn) => turn > 0)
      const killed = yield* endedAt(node, base, args, { call: killedCall, signal: "SIGKILL" })
      const [kept = ""] = readdirSync(join(base, "state"))
      const bytes = readFileSync(join(base, "state", kept))
      const written = Math.max(...turnsIn(killed.asked.slice(0, callsIn(join(base, "state", kept)))))
      const stopped = yield* endedAt(node, base, args, { call: stoppedCall, signal: "SIGINT" })
      const last = yield* daybook(base, ...args)

      expect([whole.code, killed.code, stopped.code, last.code]).toEqual([0, null, 130, 0])
      expect(stopped.err).toContain("the same command continues the search, which is stored in ")
      expect(last.err).toMatch(
        /^chain 31337: continues the search .+ after \d+ calls; to start over, remove state\/search-/m,
      )
      expect(last.err).toMatch(/; \d+ calls before the interruption$/m)
      // Calls of a written turn are not repeated, and an interrupted process writes all turns that it has completed.
      expect(written).toBeGreaterThan(0)
      expect(killedTurn).toBeGreaterThan(written)
      expect(Math.min(...turnsIn(stopped.asked))).toBe(written + 1)
      expect(stoppedTurn).toBeGreaterThan(killedTurn)
      expect(Math.min(...turnsIn(node.state.asked))).toBe(stoppedTurn)
      expect(readFileSync(join(base, "out.csv"), "utf8")).toBe(readFileSync(join(base, "whole.csv"), "utf8"))
      expect(readdirSync(join(base, "state"))).toEqual([])
      expect(bytes.includes(canary)).toBe(false)
      expect([killed, stopped, last, whole].map(({ err, out }) => `${err}${out}`).join("")).not.toContain(canary)
    }).pipe(Effect.scoped),
  )

  it.effect(
    "statement: continues with the same last block after losing its node, and another command does not interfere",
    () =>
      Effect.gen(function* () {
        const anvil = yield* Anvil.Anvil
        const { accounts } = yield* Scenario.Scenario
        const base = yield* temporaryFolder
        const forward = server.forward(anvil.url)
        let [calls, limit] = [0, Number.POSITIVE_INFINITY]
        const node = yield* server.start({}, (method, params) =>
          ++calls > limit ? FakeNode.status(401) : forward(method, params),
        )
        const args = ["statement", accounts.alice, accounts.carol, "--rpc", node.url, "--json", "--state", "state"]
        // The last final block of anvil is 64 blocks below the newest.
        yield* anvil.call("anvil_mine", ["0x60"])
        const whole = yield* daybook(base, ...args)
        limit = Math.floor(calls / 2)
        calls = 0
        const lost = yield* daybook(base, ...args)
        yield* anvil.call("anvil_mine", ["0x10"])
        limit = Number.POSITIVE_INFINITY
        const other = yield* daybook(base, ...args.filter((arg) => arg !== accounts.carol))
        const last = yield* daybook(base, ...args)
        const blockOf = ({ out }: Ended) => JSON.parse(out.split("\n")[0]!).block_number as number

        expect([whole.code, lost.code, other.code, last.code]).toEqual([0, 1, 0, 0])
        expect(lost.err).toContain("the same command continues the search, which is stored in ")
        expect(other.err).not.toContain("continues the search")
        expect(blockOf(other)).toBe(blockOf(whole) + 16)
        expect(last.out).toBe(whole.out)
        expect(readdirSync(join(base, "state"))).toEqual([])
      }).pipe(Effect.scoped),
  )

  it.effect("export: of several chains keeps each search until everything is written", () =>
    Effect.gen(function* () {
      const anvil = yield* Anvil.Anvil
      const { accounts } = yield* Scenario.Scenario
      const base = yield* temporaryFolder
      const forward = server.forward(anvil.url)
      const one = yield* recorded(anvil.url)
      let [calls, limit] = [0, Number.POSITIVE_INFINITY]
      const other = yield* server.start({ eth_chainId: () => ({ result: "0x5151" }) }, (method, params) =>
        ++calls > limit ? FakeNode.status(401) : forward(method, params),
      )
      yield* anvil.call("anvil_mine", ["0x60"])
      const args = ["export", accounts.bob, "--rpc", one.url, "--rpc", other.url, "--format", "ndjson", "--output"]
      const whole = yield* daybook(base, ...args, "whole", "--state", "state")
      const callsOfOne = one.state.asked.length
      limit = Math.floor(calls / 2)
      calls = 0
      const lost = yield* daybook(base, ...args, "out", "--state", "state")
      const kept = readdirSync(join(base, "state"))
      limit = Number.POSITIVE_INFINITY
      one.state.asked = []
      const last = yield* daybook(base, ...args, "out", "--state", "state")

      expect([whole.code, lost.code, last.code]).toEqual([0, 1, 0])
      expect(kept).toHaveLength(2)
      expect(one.state.asked.length).toBeLessThan(callsOfOne / 2)
      expect(readFileSync(join(base, "out"), "utf8")).toBe(readFileSync(join(base, "whole"), "utf8"))
      expect(readdirSync(join(base, "state"))).toEqual([])
    }).pipe(Effect.scoped),
  )

  it.effect(
    "statement: ignores an unusable discovery file unless its folder was named, and always with --no-keep",
    () =>
      Effect.gen(function* () {
        const { url } = yield* Anvil.Anvil
        const { accounts, lastBlock } = yield* Scenario.Scenario
        const base = yield* temporaryFolder
        const args = ["statement", accounts.ivan, "--rpc", url, "--at", String(lastBlock), "--json"]
        writeFileSync(join(base, "file"), "")
        const named = yield* daybook(base, ...args, "--state", "file")
        const usual = process.env["XDG_STATE_HOME"]
        process.env["XDG_STATE_HOME"] = join(base, "file")
        const unkept = yield* Effect.ensuring(
          daybook(base, ...args),
          Effect.sync(() => (process.env["XDG_STATE_HOME"] = usual)),
        )
        mkdirSync(join(base, "state"))
        const kept = yield* daybook(base, ...args, "--state", "state")
        const without = yield* daybook(base, ...args, "--state", "file", "--no-keep")

        expect([without.code, without.out, without.err.includes("interrupted search")]).toEqual([0, unkept.out, false])
        expect([named.code, named.out]).toEqual([1, ""])
        expect(named.err).toMatch(
          /^daybook: Cannot use the file of an interrupted search: file\/search-\S+ cannot be written \(.+\)\. Name another folder with --state\.$/m,
        )
        expect(unkept.code).toBe(0)
        expect(unkept.err).toContain("Name another folder with --state. The search is not stored.")
        expect([kept.code, kept.out]).toEqual([0, unkept.out])
      }).pipe(Effect.scoped),
  )
})
