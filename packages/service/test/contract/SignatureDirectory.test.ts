import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as KnownSignatures from "@daybook/abi/KnownSignatures"
import * as Signature from "@daybook/abi/Signature"
import { describe, expect, it } from "@effect/vitest"
import { Effect, Logger, Result } from "effect"
import * as ContractAbi from "../../src/contract/ContractAbi.ts"
import * as ContractDecoder from "../../src/contract/ContractDecoder.ts"
import * as SignatureDirectory from "../../src/contract/SignatureDirectory.ts"
import type { Contract } from "../../src/store/Contracts.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"
import * as Steps from "../../src/supervision/Steps.ts"

const word = (value: number): string => value.toString(16).padStart(64, "0")
const selector = (canonical: string): string => Result.getOrThrow(Signature.fromText(`function ${canonical}`)).key
const poke = selector("poke(uint256)")
/** Two functions with one selector, the second of which takes bytes: what an impostor of `transferFrom` publishes. */
const [real, impostor] = ["transferFrom(address,address,uint256)", "gasprice_bit_ether(int128)"]

/** Reads a file of these lines. */
const read = (...lines: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const path = join(yield* temporaryFolder, "signatures.txt")
    writeFileSync(path, lines.join("\n"))
    return yield* SignatureDirectory.read(path)
  }).pipe(Effect.scoped)

const refusal = (path: string) => Effect.map(Effect.flip(SignatureDirectory.read(path)), ({ message }) => message)

describe("SignatureDirectory", () => {
  it.effect.each([
    "poke(uint256)",
    "function poke(uint256)",
    "function poke(uint256 times)",
    `${poke}: poke(uint256)`,
    `"${poke}","poke(uint256)"`,
    `${poke.slice(2)}\tpoke(uint256)`,
    `17,2021-05-04,poke(uint256),${poke}`,
    `stab(uint8);poke(uint256)`,
    `poke(uint256)\r`,
  ])("read: %s names the function", (line) =>
    Effect.gen(function* () {
      const directory = yield* read("# a comment", "", line)
      expect(directory.functionOf(poke)).toEqual({ label: "poke", signature: "poke(uint256)" })
      expect(directory.call(`${poke}${word(7)}`)?.params[0]).toMatchObject({ value: "7", type: "uint256" })
      expect(directory.leftOut).toBe(0)
    }),
  )

  it.effect("read: takes the selector from the name of a file, as the folder of a public directory has it", () =>
    Effect.gen(function* () {
      const path = yield* temporaryFolder
      writeFileSync(join(path, poke.slice(2)), "poke(uint256)")
      writeFileSync(join(path, selector("stab(uint8)").slice(2)), "stab(uint8)")
      writeFileSync(join(path, ".swap"), "hidden(uint8)")
      mkdirSync(join(path, "more"))
      symlinkSync("/etc/hostname", join(path, "link"))
      const directory = yield* SignatureDirectory.read(path)
      expect(directory.size).toBe(2)
      expect(directory.functionOf(poke)?.label).toBe("poke")
    }).pipe(Effect.scoped),
  )

  it.effect("read: logs once why it takes long, after many computed selectors", () =>
    Effect.gen(function* () {
      const lines: Array<string> = []
      const logger = Logger.make<unknown, void>(({ message }) => void lines.push(String(message)))
      const path = join(yield* temporaryFolder, "signatures.txt")
      writeFileSync(path, `stab(uint8);no signature\n${poke}: poke(uint256)\nslap(uint8)\nshove(uint8)`)
      yield* Effect.provide(SignatureDirectory.read(path, 2), Logger.layer([logger]))
      yield* Effect.provide(SignatureDirectory.read(path), Logger.layer([logger]))
      const read = `Read 4 signatures from ${path}; skipped 1 lines`

      expect(lines).toEqual([
        `Signatures without selectors take long to read: ${path}. Use a directory with selectors.`,
        read,
        read,
      ])
    }).pipe(Effect.scoped),
  )

  it.effect("functionOf: ignores a text listed for the selector of another function", () =>
    Effect.gen(function* () {
      const directory = yield* read(`${poke}: stab(uint8)`, "no signature", `f(${"uint8,".repeat(1000)}uint8)`)
      expect(directory.functionOf(poke)).toBeNull()
      expect(directory.leftOut).toBe(2)
    }),
  )

  it.effect("functionOf: prefers the text with names of parameters, in either order", () =>
    Effect.gen(function* () {
      for (const lines of [
        ["poke(uint256)", "poke(uint256 times)"],
        ["poke(uint256 times)", "poke(uint256)"],
      ]) {
        const directory = yield* read(...lines)
        expect(directory.functionOf(poke)).not.toHaveProperty("others")
        expect(directory.call(`${poke}${word(7)}`)?.params[0]?.name).toBe("times")
      }
    }),
  )

  it.effect("functionOf: prefers a text that names one of several parameters", () =>
    Effect.gen(function* () {
      for (const lines of [
        ["stab(uint8,uint8)", "stab(uint8 depth,uint8)"],
        ["stab(uint8 depth,uint8)", "stab(uint8,uint8)"],
      ]) {
        const directory = yield* read(...lines)
        const { params } = directory.call(`${selector("stab(uint8,uint8)")}${word(7)}${word(8)}`)!
        expect(params.map(({ name }) => name)).toEqual(["depth", ""])
      }
    }),
  )

  it.effect("functionOf, call: return the other texts of a selector, and decode only if a single one matches", () =>
    Effect.gen(function* () {
      const directory = yield* read(real, impostor)
      const key = selector(real)
      expect(selector(impostor)).toBe(key)
      expect(directory.functionOf(key)).toEqual({ label: "transferFrom", signature: real, others: [impostor] })
      expect(directory.call(`${key}${word(1)}${word(2)}${word(3)}`)).toBeNull()
      expect(directory.call(`${key}${word(1)}`)?.label).toBe("gasprice_bit_ether")
    }),
  )

  it.effect("functionOf: tries 32 texts of a selector", () =>
    Effect.gen(function* () {
      const imitations = Array.from({ length: 32 }, (_, at) => `${poke}: act${at}(uint8)`)
      const tried = yield* read(...imitations.slice(1), "poke(uint256)")
      const beyond = yield* read(...imitations, "poke(uint256)")
      expect(tried.functionOf(poke)?.label).toBe("poke")
      expect(beyond.functionOf(poke)).toBeNull()
    }),
  )

  it.effect("read: finds each of 50,000 texts", () =>
    Effect.gen(function* () {
      const names = Array.from({ length: 50_000 }, (_, at) => `act${at}(uint256)`)
      const directory = yield* read(...names)
      expect(directory.size).toBe(50_000)
      const sampled = [...names.keys()].filter((at) => at % 997 === 0 || Number.isInteger(Math.log2(at)))
      for (const at of sampled) {
        expect(directory.functionOf(selector(names[at]!))?.signature).toBe(names[at])
      }
    }),
  )

  it.effect("read: omits texts that are too long or have malformed parameters", () =>
    Effect.gen(function* () {
      const lines = [`f(${"uint8,".repeat(200)}uint8)`, "f(,)", "f(uint8,,uint8)", "f(uint8,)", "f(", ")f(", "(uint8)"]
      const directory = yield* read(...lines, "poke(uint256)")
      expect([directory.size, directory.leftOut]).toEqual([1, lines.length])
    }),
  )

  it.effect("read: accepts a text of 1,024 characters, wherever it begins, and omits a longer one", () =>
    Effect.gen(function* () {
      const longest = `f(${"uint8,".repeat(169)}uint256)`
      const longer = `f${longest}`
      const directory = yield* read(
        longest,
        `${"-".repeat(2_000)} ${longest}`,
        longer,
        `${"-".repeat(2_000)} ${longer}`,
      )
      expect([longest.length, longer.length, directory.size, directory.leftOut]).toEqual([1024, 1025, 2, 2])
    }),
  )

  it.effect(
    "read: counts texts that are not signatures as omitted, but not comments or empty parts between semicolons",
    () =>
      Effect.gen(function* () {
        const directory = yield* read(
          "  # f(uint8)",
          "poke(uint256); ;stab(uint8);",
          "   ",
          `${poke}: none`,
          "act(none)",
        )
        expect([directory.size, directory.leftOut]).toEqual([2, 2])
      }),
  )

  it.effect("read: omits a line of more than 65,536 characters", () =>
    Effect.gen(function* () {
      const line = "poke(uint256)".padEnd(65_536, ";")
      const [longest, longer] = [yield* read(line), yield* read(`${line};`)]
      expect([longest.size, longest.leftOut]).toEqual([1, 0])
      expect([longer.size, longer.leftOut]).toEqual([0, 1])
    }),
  )

  it.effect(
    "read: reads lines without a signature, of any characters, in time that only grows with their length",
    () =>
      Effect.gen(function* () {
        const shapes = (length: number) => [
          "a".repeat(length),
          "a(".repeat(length / 2),
          "a ".repeat(length / 2),
          `${" ".repeat(length)}(`,
        ]
        const long = Array.from({ length: 200 }, (_, at) => shapes(60_000)[at % 4]!)
        const lines = [...long, ...Array.from({ length: 4_000 }, (_, at) => shapes(4_000)[at % 2]!)]
        const { leftOut, size } = yield* read(...lines)
        expect([size, leftOut]).toEqual([0, lines.length])
      }),
    20_000,
  )

  it.effect("read: rejects a file larger than 256 MiB before reading it", () =>
    Effect.gen(function* () {
      const path = join(yield* temporaryFolder, "signatures.txt")
      writeFileSync(path, "poke(uint256)")
      truncateSync(path, 2 ** 28 + 1)
      expect(yield* refusal(path)).toContain("more than 268435456 bytes")
    }).pipe(Effect.scoped),
  )

  it.effect("read: rejects a missing path, and one that is neither a file nor a folder", () =>
    Effect.gen(function* () {
      expect(yield* refusal("/nowhere/signatures")).toMatch(
        /^Cannot read the signatures: \/nowhere\/signatures \(ENOENT/,
      )
      expect(yield* refusal("/dev/zero")).toContain("neither a file nor a folder")
    }),
  )
})

describe("ContractDecoder with a directory", () => {
  const token = `0x${"a".repeat(40)}`
  const bodyOf = (input: string) => JSON.stringify({ to_address: token, input, logs: [], decoded_call: null })
  const decoded = (
    directory: SignatureDirectory.SignatureDirectory,
    input: string,
    contracts: ReadonlyArray<Contract> = [],
  ) =>
    JSON.parse(
      Steps.runSync(ContractDecoder.make(contracts, KnownSignatures.decoder(), undefined, directory)).decode(
        bodyOf(input),
        5,
      ),
    ).decoded_call

  it.effect("decode: asks the directory last, after the ABI of the contract", () =>
    Effect.gen(function* () {
      const directory = yield* read("poke(uint256 published)")
      const items = [{ type: "function", name: "poke", inputs: [{ name: "own", type: "uint256" }] }]
      const abi = JSON.stringify(Result.getOrThrow(ContractAbi.fromJson(items)).items)
      const own: Contract = { address: token, name: "Own", source: "command", abi, implementations: [] }
      expect(decoded(directory, `${poke}${word(7)}`)?.params[0]?.name).toBe("published")
      expect(decoded(directory, `${poke}${word(7)}`, [own])?.params[0]?.name).toBe("own")
      expect(decoded(directory, "0x")).toBeNull()
    }),
  )

  it.effect("decode, functionOf: leave a row without an undecoded call unchanged, and name other functions", () =>
    Effect.gen(function* () {
      const directory = yield* read("poke(uint256 published)")
      const decoder = Steps.runSync(ContractDecoder.make([], KnownSignatures.decoder(), undefined, directory))
      const call = { to_address: token, input: `${poke}${word(7)}`, logs: [] }
      const kept = [
        { ...call, decoded_call: { label: "poked" } },
        { ...call, input: "0x", decoded_call: null },
      ]
      for (const body of kept.map((row) => ` ${JSON.stringify(row)}`)) expect(decoder.decode(body, 5)).toBe(body)
      expect(decoder.functionOf(token, poke)?.label).toBe("poke")
      expect(decoder.functionOf(token, selector("stab(uint8)"))).toBeNull()
    }),
  )
})
