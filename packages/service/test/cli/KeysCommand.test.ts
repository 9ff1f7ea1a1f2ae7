import { chmodSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Engine from "../../src/store/Engine.ts"
import {
  addKey,
  canSwitchUser,
  daybook,
  daybookProcess,
  ReadsOutput,
  runAs,
  timeout,
  unprivileged,
  withConfig,
} from "./daybook.ts"

describe("daybook keys", () => {
  it.live(
    "keys add: prints the key as the only line of standard output and stores only its hash",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        const added = yield* daybookProcess("/", "keys", "add", "alice", "--config", join(base, "daybook.json"))

        expect(added).toEqual({
          code: 0,
          out: expect.stringMatching(/^dbk_[\w-]{43}\n$/),
          err: `Key of "alice", shown only once (its hash is stored):\n`,
        })
        const files = readdirSync(join(base, "data")).map((name) => readFileSync(join(base, "data", name), "latin1"))
        expect(files.length).toBeGreaterThan(0)
        for (const file of files) expect(file).not.toContain(added.out.trim())
      }),
    timeout,
  )

  it.live(
    "keys add: rejects a name that is taken or empty",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        yield* addKey(base, "alice")
        const [taken, nameless] = yield* Effect.all(
          [daybook(base, "keys", "add", "alice"), daybook(base, "keys", "add", " ")],
          { concurrency: 2 },
        )

        expect(taken).toEqual({
          code: 1,
          out: "",
          err: `daybook: A key with this name exists: "alice". Choose another name, or revoke that key.\n`,
        })
        expect(nameless).toMatchObject({ code: 2, out: "" })
        expect(nameless.err).toMatch(/Invalid API key "name"/)
      }),
    timeout,
  )

  it.live(
    "keys add, rotate: state that a key is stored if standard output cannot be written, and what to do",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        const unwritten = (...args: ReadonlyArray<string>) =>
          Effect.provideService(daybook(base, "keys", ...args), ReadsOutput, false)
        const full = "daybook: Cannot write standard output: ENOSPC: no space left on device, write."
        const stored = 'The key of "alice" is stored all the same, and cannot be shown again.'

        expect(yield* unwritten("add", "alice")).toEqual({
          code: 1,
          out: "",
          err: `Key of "alice", shown only once (its hash is stored):\n${full} ${stored} Remove it with "daybook keys revoke", then add a key again.\n`,
        })
        const rotated = yield* unwritten("rotate", "alice")
        expect(rotated.code).toBe(1)
        expect(rotated.err.split("\n").at(-2)).toMatch(
          /^daybook: Cannot write .* cannot be shown again\. The previous one is accepted until \S+; another rotation ends it at once\.$/,
        )
      }),
    timeout,
  )

  it.live(
    "keys list: prints a table of names, grants and last use, with the heading on standard error",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        yield* addKey(base, "alice")
        yield* daybook(base, "keys", "add", "bob", "--operator", "--empty", "null", "--config", "daybook.json")

        const listed = yield* daybook(base, "keys", "list", "--config", "daybook.json")

        expect(listed).toEqual({
          code: 0,
          out: "alice  all chains            never\nbob    operator; empty null  never\n",
          err: "NAME   GRANT                 LAST USED\n",
        })
      }),
    timeout,
  )

  it.live(
    "keys rotate: rejects an expired key, since its replacement would be rejected too",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        const { apiKeys } = yield* Engine.fromUrl("sqlite:data", base)
        yield* apiKeys.add({ name: "alice", operator: false, empty: null, expires: 1 })
        const ended = yield* daybook(base, "keys", "rotate", "alice")

        expect(ended).toMatchObject({ code: 1, out: "" })
        expect(ended.err).toContain(
          'The key of "alice" has expired, and a new one would have the same expiry: 1970-01-01T00:00:00.001Z.',
        )
      }).pipe(Effect.scoped),
    timeout,
  )

  it.live(
    "keys rotate: prints a new key for a name, and list prints its restrictions, also as JSON",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        yield* daybook(base, "keys", "add", "bob", "--chain", "eth", "--per-second", "5", "--expires", "2999-12-31")
        const rotated = yield* daybook(base, "keys", "rotate", "bob", "--keep", "12h")
        const wrong = yield* daybook(base, "keys", "rotate", "bob", "--keep", "soon")
        const none = yield* daybook(base, "keys", "rotate", "alice")
        const elsewhere = yield* daybook(base, "keys", "add", "carol", "--chain", "base")
        const listed = yield* daybook(base, "keys", "list")
        const json = yield* daybook(base, "keys", "list", "--json")

        expect(rotated).toMatchObject({ code: 0, out: expect.stringMatching(/^dbk_[\w-]{43}\n$/) })
        expect(rotated.err).toMatch(
          /^The previous key is accepted until \d{4}-[^\n]*Z\.\nKey of "bob", shown only once/,
        )
        expect(wrong).toMatchObject({ code: 2, err: expect.stringContaining('Invalid option "--keep"') })
        expect(none).toMatchObject({ code: 1, err: expect.stringContaining('No key has this name: "alice".') })
        expect(elsewhere).toMatchObject({ code: 2, err: expect.stringContaining('Invalid option "--chain"') })
        expect(listed.out).toBe("bob   chains eth; 5 per second, 10 at once; until 2999-12-31  never\n")
        expect(JSON.parse(json.out)).toMatchObject({
          name: "bob",
          operator: false,
          options: { chains: ["eth"], rateLimit: { perSecond: 5, burst: 10 } },
          lastUsed: null,
        })
        expect(json.out).not.toContain("dbk_")
      }),
    timeout,
  )

  it.live(
    "keys revoke: removes a key once, and reports a name without a key",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        yield* addKey(base, "bob")
        const first = yield* daybook(base, "keys", "revoke", "bob")
        const second = yield* daybook(base, "keys", "revoke", "bob")

        expect(first.code).toBe(0)
        expect(second).toEqual({
          code: 1,
          out: "",
          err: `daybook: No key has this name: "bob". "daybook keys list" lists the names.\n`,
        })
      }),
    timeout,
  )

  it.live.skipIf(!canSwitchUser)(
    "keys list: reads a database without write access, and keys add names the path that it cannot write",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        yield* addKey(base, "alice")
        const data = join(base, "data")
        const modes = [
          [base, 0o755],
          [data, 0o555],
          [join(data, "daybook.sqlite"), 0o444],
        ] as const
        for (const [path, mode] of modes) chmodSync(path, mode)
        const [listed, added] = yield* Effect.all(
          [runAs(unprivileged, base, ["keys", "list"]), runAs(unprivileged, base, ["keys", "add", "bob"])],
          { concurrency: 2 },
        )

        expect(listed).toEqual({ code: 0, out: "alice\n", err: "" })
        expect(added).toMatchObject({ code: 4, out: "" })
        expect(added.err).toContain(`${data}/daybook.sqlite`)
        expect(added.err).toContain("EACCES")
      }),
    timeout,
  )
})
