import { it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as AbiParameters from "ox/AbiParameters"
import { describe, expect } from "vitest"
import * as AbiReader from "../src/AbiReader.ts"
import * as AbiType from "../src/AbiType.ts"
import { hex, parameters, textOf, valueOf, word, type Parameter, type Value } from "./abi.ts"

const types = (of: ReadonlyArray<Parameter>) => of.map((one) => Result.getOrThrow(AbiType.fromParameter(one)))
/** Reads hex text; `null` if it is not hex. */
const readHex = (members: ReadonlyArray<AbiType.AbiType>, data: string, from: number, trailing: AbiReader.Trailing) => {
  const digits = AbiReader.digitsOf(data)
  return digits === null ? null : AbiReader.read(members, digits, from, trailing)
}

const read = (type: string, digits: string, trailing: AbiReader.Trailing = "nothing") =>
  readHex(types([{ type }]), `0x${digits}`, 0, trailing)?.[0] ?? null
const encode = (of: ReadonlyArray<Parameter>, values: ReadonlyArray<Value>) => AbiParameters.encode(of, values)
const bytes = (text: string) => Buffer.from(text, "utf8").toString("hex").padEnd(64, "0")

const encoded = Arbitrary.flatMap(parameters, (of) =>
  Arbitrary.map(Arbitrary.all(of.map(valueOf)), (values) => ({ of, values, data: encode(of, values) })),
)

describe("AbiReader", () => {
  describe("read", () => {
    it("read: writes integers in decimal at every width", () => {
      expect(read("uint256", "f".repeat(64))).toBe(
        "115792089237316195423570985008687907853269984665640564039457584007913129639935",
      )
      expect(read("uint256", word(2n ** 48n - 1n))).toBe("281474976710655")
      expect(read("uint256", word(2n ** 48n))).toBe("281474976710656")
      expect(read("int256", word(-1n))).toBe("-1")
      expect(read("int24", word(-887272n))).toBe("-887272")
      expect(read("int256", word(-(2n ** 255n)))).toBe(
        "-57896044618658097711785492504343953926634992332820282019728792003956564819968",
      )
    })

    it("read: rejects an integer wider than its type", () => {
      expect(read("uint8", word(255))).toBe("255")
      expect(read("uint8", word(256))).toBeNull()
      expect(read("int8", word(127))).toBe("127")
      expect(read("int8", word(128))).toBeNull()
      expect(read("int8", word(-129n))).toBeNull()
    })

    it("read: writes addresses with their checksum and rejects dirty high bytes", () => {
      expect(read("address", word("5aaeb6053f3e94c9b9a09f33669435e7ef1beaed"))).toBe(
        "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
      )
      expect(read("address", `01${word("5aaeb6053f3e94c9b9a09f33669435e7ef1beaed").slice(2)}`)).toBeNull()
    })

    it("read: accepts only 0 and 1 for a bool", () => {
      expect(read("bool", word(0))).toBe("false")
      expect(read("bool", word(1))).toBe("true")
      expect(read("bool", word(2))).toBeNull()
      expect(read("bool", word(17))).toBeNull()
    })

    it("read: rejects fixed bytes with dirty low bytes", () => {
      expect(read("bytes4", "12345678".padEnd(64, "0"))).toBe("0x12345678")
      expect(read("bytes4", "1234567801".padEnd(64, "0"))).toBeNull()
    })

    it("read: keeps a byte order mark and control characters of a string", () => {
      expect(read("string", `${word(32)}${word(4)}${"efbbbf00".padEnd(64, "0")}`)).toBe("\uFEFF\u0000")
    })

    it("read: rejects a string that is not UTF-8, and keeps the same bytes as bytes", () => {
      const data = `${word(32)}${word(2)}${"c328".padEnd(64, "0")}`

      expect(read("string", data)).toBeNull()
      expect(read("bytes", data)).toBe("0xc328")
    })

    it("read: writes lists and tuples as JSON whose leaves are all strings", () => {
      const tuple = { type: "tuple[]", components: [{ type: "uint256" }, { type: "bool" }, { type: "string" }] }
      const data = encode(
        [tuple],
        [
          [
            [2n ** 255n, true, 'a"\n'],
            [1n, false, ""],
          ],
        ],
      )

      expect(readHex(types([tuple]), data, 0, "nothing")).toEqual([
        '[["57896044618658097711785492504343953926634992332820282019728792003956564819968","true","a\\"\\n"],["1","false",""]]',
      ])
    })

    it("read: writes an empty list as []", () => {
      expect(read("uint256[]", `${word(32)}${word(0)}`)).toBe("[]")
    })

    it("read: accepts a last value without padding", () => {
      expect(read("bytes", `${word(32)}${word(3)}abcdef`)).toBe("0xabcdef")
      expect(read("bytes", `${word(32)}${word(4)}abcdef`)).toBeNull()
    })

    it("read: accepts trailing bytes only if they are permitted", () => {
      expect(read("uint8", `${word(7)}${word(9)}`)).toBeNull()
      expect(read("uint8", `${word(7)}${word(9)}`, "anything")).toBe("7")
      expect(read("uint8", `${word(7)}00`)).toBeNull()
      expect(read("string", `${word(32)}${word(2)}${bytes("hi")}00`)).toBeNull()
    })

    it("read: rejects data that is too short, of odd length or not hex", () => {
      expect(read("uint8", "")).toBeNull()
      expect(read("uint8", word(7).slice(2))).toBeNull()
      expect(read("uint8", `${word(7)}0`)).toBeNull()
      expect(read("uint8", `${word(7).slice(1)}g`)).toBeNull()
      expect(readHex(types([{ type: "uint8" }]), word(7), 0, "anything")).toBeNull()
    })

    it("read: rejects offsets and lengths beyond the data, however large", () => {
      expect(read("bytes", `${word(64)}${word(0)}`)).toBeNull()
      expect(read("bytes", `${"f".repeat(64)}${word(0)}`)).toBeNull()
      expect(read("bytes", `${word(32)}${"f".repeat(64)}`)).toBeNull()
      expect(read("bytes", `${word(32)}${word(2n ** 64n)}`)).toBeNull()
      expect(read("uint256[]", `${word(32)}${word(2n ** 32n)}`)).toBeNull()
      expect(read("uint256[9007199254740991][9007199254740991]", word(1))).toBeNull()
    })

    it("read: rejects a list with more members than the data holds", () => {
      expect(read("uint256[]", `${word(32)}${word(2)}${word(1)}`)).toBeNull()
      expect(read("string[3]", `${word(32)}${word(0)}`)).toBeNull()
    })

    it("read: reads members that share one tail", () => {
      const both = types([{ type: "bytes" }, { type: "bytes" }])
      const data = `0x${word(64)}${word(64)}${word(1)}${"ab".padEnd(64, "0")}`

      expect(readHex(both, data, 0, "nothing")).toEqual(["0xab", "0xab"])
    })

    it("read: reads members whose tails are in another order", () => {
      const both = types([{ type: "bytes" }, { type: "bytes" }])
      const tails = [`${word(1)}${"ab".padEnd(64, "0")}`, `${word(1)}${"cd".padEnd(64, "0")}`]

      expect(readHex(both, `0x${word(128)}${word(64)}${tails.join("")}`, 0, "nothing")).toEqual(["0xcd", "0xab"])
    })

    it("read: reads members at the word that states their position", () => {
      const pair = types([{ type: "tuple", components: [{ type: "bytes" }] }])

      expect(readHex(pair, `0x${word(64)}${word(32)}${word(0)}`, 0, "anything")).toEqual(['["0x"]'])
    })

    it("read: reads up to twice the bytes of the data", () => {
      const sharing = (count: number) => {
        const members = types(Array.from({ length: count }, () => ({ type: "bytes" })))
        const tail = `${word(64)}${"ab".repeat(64)}`
        return readHex(members, `0x${word(count * 32).repeat(count)}${tail}`, 0, "nothing")
      }

      // Heads of 96 bytes and three reads of a tail of 96 bytes, which are 192 bytes of data.
      expect(sharing(3)).toEqual(Array.from({ length: 3 }, () => `0x${"ab".repeat(64)}`))
      expect(sharing(4)).toBeNull()
    })

    it("read: returns null for members that share one tail endlessly", () => {
      const count = 20_000
      const heads = word(count * 32).repeat(count)
      const tail = `${word(640_000)}${"ab".repeat(640_000)}`

      expect(read("bytes[]", `${word(32)}${word(count)}${heads}${tail}`)).toBeNull()
    })

    it("read: returns null for lists of 64 lists each, 16 deep, in 13 kB", () => {
      expect(read(`uint256${"[]".repeat(16)}`, word(64).repeat(400), "anything")).toBeNull()
    })

    it.prop(
      "law: what ox encodes reads as the text of decision 15",
      [encoded],
      ([{ data, of, values }]) => {
        expect(readHex(types(of), data, 0, "nothing")).toEqual(
          of.map((one, index) => textOf(one, values[index] as Value)),
        )
      },
      { arbitrary: { runs: 400 } },
    )

    it.prop(
      "law: rejects a truncated encoding",
      [encoded],
      ([{ data, of }]) => {
        const padding = /0*$/.exec(data)?.[0].length ?? 0

        expect(readHex(types(of), data.slice(0, Math.max(2, data.length - padding - 66)), 0, "anything")).toBeNull()
      },
      { arbitrary: { runs: 200 } },
    )

    it.prop(
      "law: rejects an encoding with one changed byte or reads it as ox does",
      [encoded, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 1_000_000 })), hex(1, 1)],
      ([{ data, of }, at, byte]) => {
        const position = 2 + (at % (data.length / 2 - 1)) * 2
        const changed = `${data.slice(0, position)}${byte.slice(2)}${data.slice(position + 2)}` as const

        const texts = readHex(types(of), changed, 0, "anything")

        if (texts === null) return
        // A value at the end that shares its bytes with another is refused by ox, whose cursor returns behind the data. The bytes that follow
        // here would be part of a value that was read beyond the end.
        const values = AbiParameters.decode(of, `${changed as `0x${string}`}${"ff".repeat(64)}`)
        expect(texts).toEqual(of.map((one, index) => textOf(one, values[index] as Value)))
      },
      { arbitrary: { runs: 400 } },
    )

    it.prop(
      "law: returns for any bytes without throwing",
      [parameters, hex(0, 400)],
      ([of, data]) => {
        const texts = readHex(types(of), data, 0, "anything")

        expect(texts === null || texts.length === of.length).toBe(true)
      },
      { arbitrary: { runs: 400 } },
    )
  })

  describe("readTopic", () => {
    const topic = (type: string, digits: string) => AbiReader.readTopic(types([{ type }])[0] as never, `0x${digits}`)

    it("readTopic: returns the value in a topic", () => {
      expect(topic("uint24", word(3000))).toBe("3000")
      expect(topic("int24", word(-60n))).toBe("-60")
      expect(topic("bytes32", "ab".repeat(32))).toBe(`0x${"ab".repeat(32)}`)
    })

    it("readTopic: returns the topic itself for a hashed value", () => {
      expect(topic("string", "ab".repeat(32))).toBe(`0x${"ab".repeat(32)}`)
      expect(topic("uint256[2]", "cd".repeat(32))).toBe(`0x${"cd".repeat(32)}`)
    })

    it("readTopic: rejects a dirty, short or malformed topic", () => {
      expect(topic("address", "ab".repeat(32))).toBeNull()
      expect(topic("uint256", word(1).slice(2))).toBeNull()
      expect(topic("bytes32", `${"ab".repeat(31)}zz`)).toBeNull()
    })
  })
})
