import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { expect } from "vitest"
import * as Holding from "../../src/ledger/Holding.ts"
import * as RowsDigest from "../../src/signed/RowsDigest.ts"
import * as SigningKey from "../../src/signed/SigningKey.ts"
import * as StatementFile from "../../src/signed/StatementFile.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

const [alice, bob] = [`0x${"a1".repeat(20)}`, `0x${"b0".repeat(20)}`]
const hash = (byte: string) => `0x${byte.repeat(32)}`

const subject: StatementFile.Subject = {
  source: "node",
  madeBy: "daybook 0.0.0",
  madeAt: new Date(0),
  chainId: 1,
  fromBlock: 0,
  opening: { number: 0, hash: hash("00") },
  closing: { number: 9, hash: hash("99") },
}

const partOf = (address: string): StatementFile.WalletPart => ({
  address,
  opening: [{ holding: Holding.native, amount: 5n }],
  totals: [{ holding: Holding.native, kind: "value", count: 1, in: 2n, out: 0n }],
  closing: [{ holding: Holding.native, amount: 7n }],
  counts: { opening: 0, closing: 0 },
  isProved: true,
  byStateRoot: ["native", "nonce"],
  differences: [],
  notCovered: ["Nothing else."],
  rows: RowsDigest.make().result(),
})

const made = Effect.gen(function* () {
  const path = join(yield* temporaryFolder, "key.pem")
  const key = yield* SigningKey.create(path)
  const wire = StatementFile.sign(subject, [partOf(alice), partOf(bob)], key)
  return { key, path, text: StatementFile.toText(wire), wire }
})

const reasonOf = (text: string, expected?: StatementFile.Expected) =>
  Result.match(StatementFile.read(text, expected), {
    onSuccess: () => "accepted",
    onFailure: ({ reason }) => reason,
  })

describe("StatementFile", () => {
  it.effect("read: accepts a signed file by its key and with its wallets", () =>
    Effect.gen(function* () {
      const { key, text } = yield* made

      expect(reasonOf(text)).toBe("accepted")
      expect(reasonOf(text, { publicKey: key.publicKey, wallets: [bob, alice] })).toBe("accepted")
    }),
  )

  it.effect("read: rejects a file in which any one byte is changed, removed or added", () =>
    Effect.gen(function* () {
      const { text } = yield* made
      const accepted: Array<string> = []
      for (let at = 0; at < text.length; at++) {
        const changed = String.fromCodePoint(text.codePointAt(at)! ^ 1)
        for (const put of [changed, "", `${text[at]} `]) {
          const other = `${text.slice(0, at)}${put}${text.slice(at + 1)}`
          if (other !== text && reasonOf(other) === "accepted") accepted.push(`${put} at ${at}`)
        }
      }

      expect(accepted).toEqual([])
    }),
  )

  it.effect("read: rejects a self-contradictory file, whatever the key", () =>
    Effect.gen(function* () {
      const { key } = yield* made
      const signed = (changes: Partial<StatementFile.Subject>, part: Partial<StatementFile.WalletPart> = {}) =>
        reasonOf(
          StatementFile.toText(StatementFile.sign({ ...subject, ...changes }, [{ ...partOf(alice), ...part }], key)),
        )
      const opening = { number: 5, hash: hash("55") }
      const difference = { holding: Holding.native, expected: 7n, found: 8n, firstBlock: null }

      expect(signed({ fromBlock: 6, opening })).toBe("accepted")
      expect(signed({ fromBlock: 2, opening })).toBe("its opening block 5 is not the block before its first block 2.")
      expect(signed({ fromBlock: 1 })).toBe("accepted")
      expect(signed({ fromBlock: 10, opening: { number: 10, hash: hash("10") } })).toBe(
        "its closing block 9 is before its opening block 10.",
      )
      expect(signed({}, { differences: [difference] })).toBe(`${alice} is stated as proved, but has differences.`)
      expect(signed({}, { differences: [difference], isProved: false })).toBe("accepted")
    }),
  )

  it.effect("read: states why a file is rejected", () =>
    Effect.gen(function* () {
      const { key, text, wire } = yield* made
      const without = StatementFile.toText({ ...wire, statements: wire.statements.slice(1) })
      const both = StatementFile.toText({
        ...wire,
        header: { ...wire.header, wallets: wire.header.wallets.slice(1) },
        statements: wire.statements.slice(1),
      })
      const twice = StatementFile.toText({ ...wire, statements: [...wire.statements, wire.statements[0]!] })
      const other = yield* made

      expect(reasonOf(text.replace('"balance":"7"', '"balance":"8"'))).toMatch(
        new RegExp(`^the part of ${alice} was changed: its SHA-256 is 0x[0-9a-f]{64}, the signed header has 0x`),
      )
      expect(reasonOf(without)).toBe(`wallet missing: the header names ${alice}, but the file has no part for it.`)
      expect(reasonOf(both)).toContain(`the signature does not match the header and the key ${key.publicKey}`)
      expect(reasonOf(twice)).toBe("a wallet has two parts.")
      expect(reasonOf(text, { wallets: [hash("11").slice(0, 42)] })).toBe(
        "wallet missing: 0x1111111111111111111111111111111111111111 is not in the file.",
      )
      expect(reasonOf(text, { publicKey: other.key.publicKey })).toBe(
        `it is signed by another key: expected ${other.key.publicKey}, received ${key.publicKey}.`,
      )
      expect(reasonOf(text.replace('{"header"', '{"extra":1,"header"'))).toBe(
        'it has a key that is not signed: "extra".',
      )
      expect(reasonOf(text.trimEnd())).toContain("its text is not canonical JSON")
      expect(reasonOf("{}")).toBe('Invalid statement "header": expected an object (StatementHeader), received nothing.')
      expect(reasonOf("no")).toBe("it is not JSON.")
      expect(reasonOf(" ".repeat(StatementFile.maxLength + 1))).toBe(
        "it has 67108865 characters, and at most 67108864 are accepted.",
      )
      expect(reasonOf(`${"[".repeat(1_000_000)}`)).toBe("it is not JSON.")
      expect(reasonOf(`"${"x".repeat(20_000_000)}"`)).toContain("expected an object")
    }),
  )
})

describe("SigningKey", () => {
  it.effect("create: makes a file that only its owner can read, and does not replace one", () =>
    Effect.gen(function* () {
      const { key, path } = yield* made
      const again = yield* Effect.flip(SigningKey.create(path))

      expect(statSync(path).mode & 0o777).toBe(0o600)
      expect((yield* SigningKey.read(path)).publicKey).toBe(key.publicKey)
      expect(again.message).toContain("A key is never replaced")
    }),
  )

  it.effect("read: rejects a key that others can read, and shows nothing of a file that is not a key", () =>
    Effect.gen(function* () {
      const { path } = yield* made
      chmodSync(path, 0o640)
      const open = yield* Effect.flip(SigningKey.read(path))
      const secret = "-----BEGIN PRIVATE KEY-----\nCANARY0123456789\n-----END PRIVATE KEY-----\n"
      chmodSync(path, 0o600)
      writeFileSync(path, secret)
      const invalid = yield* Effect.flip(SigningKey.read(path))
      const missing = yield* Effect.flip(SigningKey.read(`${path}.none`))

      expect(readFileSync(path, "utf8")).toBe(secret)
      expect(open.message).toContain('Run "chmod 600" on the file.')
      expect(invalid.message).toContain("expected an Ed25519 key as PEM")
      expect(JSON.stringify(invalid)).not.toContain("CANARY")
      expect(missing.message).toContain("ENOENT")
    }),
  )
})
