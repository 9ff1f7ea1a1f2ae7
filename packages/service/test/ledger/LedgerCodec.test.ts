import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Address from "@daybook/schema/Address"
import * as LedgerCodec from "../../src/ledger/LedgerCodec.ts"
import * as Movement from "../../src/ledger/Movement.ts"
import { account, alice, bob, carol, rowsOf, source, token } from "./sources.ts"
import * as Ledger from "../../src/ledger/Ledger.ts"
import * as LedgerRules from "../../src/ledger/LedgerRules.ts"

const amount = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: -(2n ** 257n), maximum: 2n ** 257n }))
const Generated = Schema.Struct({
  kind: Schema.Literals(Movement.kinds),
  counterparty: Schema.NullOr(Address.Address),
  asset: Address.Address,
  tokenId: Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 256n - 1n })),
  amount,
  logIndex: Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1e6 }))),
  isFailed: Schema.Boolean,
})

const movementOf = (wallet: string, { asset, kind, tokenId, ...rest }: typeof Generated.Type): Movement.Movement => ({
  ...rest,
  wallet,
  kind,
  asset: kind.startsWith("erc") ? asset : Movement.native,
  tokenId: kind === "erc721" || kind === "erc1155" ? tokenId.toString() : null,
})

const candidate = { asset: token, kind: "erc20" as const, tokenId: null }

const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString("hex")}`

describe("LedgerCodec", () => {
  it.prop(
    "unpack, decodeBody: are the inverse of pack",
    { movements: Schema.Array(Generated), roles: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 21 })) },
    ({ movements, roles }) => {
      const rows = [carol, alice, bob].map((wallet, index) => ({
        wallet,
        index: index * Movement.blockLevelIndex,
        roles,
        movements: movements.filter((one) => one.amount !== 0n).map((one) => movementOf(wallet, one)),
        // Those of carol have none.
        candidates: index === 0 ? undefined : [candidate, { ...candidate, kind: "erc721" as const }],
      }))
      const unpacked = LedgerCodec.unpack(LedgerCodec.pack(rows)).map(({ body, index, wallet }) => {
        const address = hex(wallet)
        return { wallet: address, index, ...LedgerCodec.decodeBody(address, body) }
      })

      expect(unpacked).toEqual([rows[1], rows[2], rows[0]])
    },
  )

  it("decodeBody: reads an amount of each length", () => {
    const powers = Array.from({ length: 257 }, (_, power) => 1n << BigInt(power))
    const amounts = powers.flatMap((power) => [power - 1n, power, power + 1n, 0xfedcba9876543210n % power])
    const movements = amounts
      .filter((one) => one !== 0n)
      .map((one): Movement.Movement => ({
        wallet: alice,
        counterparty: bob,
        asset: Movement.native,
        tokenId: null,
        kind: "value",
        amount: one,
        logIndex: null,
        isFailed: false,
      }))
    const [row] = LedgerCodec.unpack(LedgerCodec.pack([{ wallet: alice, index: 0, roles: 1, movements }]))

    expect(LedgerCodec.decodeBody(alice, row!.body).movements).toEqual(movements)
  })

  it("pack: fails for an address that is not 20 bytes of hex, at whichever digit", () => {
    const pack = (wallet: string) => () => LedgerCodec.pack([{ wallet, index: 0, roles: 1, movements: [] }])

    for (const digit of ["g", "G", "/", ":", "@", "`", " ", "\0", "é", "\u{130}"]) {
      for (const at of [2, 21, 41]) {
        expect(pack(alice.slice(0, at) + digit + alice.slice(at + 1))).toThrow("expected 20 bytes in hex")
      }
    }
    expect(pack(alice.slice(0, -1))).toThrow(TypeError)
    expect(pack(`${alice}00`)).toThrow(TypeError)
  })

  it("rowsOf: returns the rows of the given wallets in order of index", () => {
    const row = (wallet: string, index: number) => ({ wallet, index, roles: index + 1, movements: [] })
    const packed = LedgerCodec.pack([row(carol, 0), row(alice, 4), row(alice, 2), row(bob, 1), row(bob, 3)])

    expect(LedgerCodec.rowsOf(packed, new Set([bob, alice]))).toEqual([
      row(bob, 1),
      row(alice, 2),
      row(bob, 3),
      row(alice, 4),
    ])
    expect(LedgerCodec.rowsOf(packed, new Set())).toEqual([])
  })

  it("packPlaces: keeps the indexes of each wallet", () => {
    const places = (...rows: ReadonlyArray<readonly [wallet: string, index: number]>) => {
      const packed = LedgerCodec.pack(rows.map(([wallet, index]) => ({ wallet, index, roles: 1, movements: [] })))
      return [...LedgerCodec.unpackPlaces(LedgerCodec.packPlaces(LedgerCodec.unpack(packed)))].map(
        ({ index, wallet }) => [hex(wallet), index],
      )
    }

    expect(places()).toEqual([])
    expect(places([bob, 3], [alice, 200], [bob, 1])).toEqual([
      [alice, 200],
      [bob, 1],
      [bob, 3],
    ])
  })

  it("decodeBody: fails with a RangeError for truncated bytes or an unknown kind", () => {
    const [row] = LedgerCodec.unpack(LedgerCodec.pack(Ledger.derive(source(), LedgerRules.fromChainId(1))))

    expect(rowsOf(source())).toHaveLength(3)
    expect(() => LedgerCodec.decodeBody(alice, row!.body.subarray(0, -1))).toThrow(RangeError)
    expect(() => LedgerCodec.decodeBody(alice, Uint8Array.of(1, 0x0f))).toThrow(RangeError)
    expect(() =>
      LedgerCodec.decodeBody(alice, Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1)),
    ).toThrow(RangeError)
    expect(() => LedgerCodec.rolesOf(Uint8Array.of())).toThrow("The row ends early.")
    expect(() => LedgerCodec.rolesOf(Uint8Array.of(0x80))).toThrow("The row ends early.")
  })

  it("rolesOf: reads a number up to the largest safe integer", () => {
    const largest = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f)

    expect(LedgerCodec.rolesOf(largest)).toBe(Number.MAX_SAFE_INTEGER)
    expect(() => LedgerCodec.rolesOf(largest.with(7, 0x10))).toThrow("A number is too large.")
  })

  it("pack: needs 52 bytes for the body of a token transfer", () => {
    const movement = {
      asset: token,
      kind: "erc20",
      amount: 10n ** 18n,
      counterparty: account("e"),
      tokenId: null,
    } as const
    const row = {
      wallet: alice,
      index: 5,
      roles: 64,
      movements: [{ ...movement, wallet: alice, logIndex: 9, isFailed: false }],
    }

    expect(LedgerCodec.unpack(LedgerCodec.pack([row]))[0]!.body.length).toBe(52)
  })
})
