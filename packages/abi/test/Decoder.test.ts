import { it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { describe, expect } from "vitest"
import * as Decoder from "../src/Decoder.ts"
import * as Signature from "../src/Signature.ts"
import * as KnownSignatures from "../src/KnownSignatures.ts"
import { hex, word } from "./abi.ts"

const decoder = KnownSignatures.decoder()
const signature = (text: string) => Result.getOrThrow(Signature.fromText(text))
const key = (text: string) => signature(text).key
const log = (topics: ReadonlyArray<string>, ...words: ReadonlyArray<string>) => ({
  topics: topics.map((topic) => (topic.startsWith("0x") ? topic : `0x${topic}`)),
  data: `0x${words.join("")}`,
})
const values = (item: Decoder.DecodedItemWire | null) => item?.params.map(({ value }) => value)
const fields = (item: Decoder.DecodedItemWire | null) =>
  Object.fromEntries((item?.params ?? []).map(({ name, value }) => [name, value]))

const alice = "ef04bc7821433f080461bbae815182e3d7bbb61a"
const bob = "4debb0df4da8d1f51ef67b727c3f1c0ecc7ed009"
const aliceText = "0xEF04bc7821433f080461BBAE815182E3d7bBb61A"
const bobText = "0x4debB0dF4da8D1f51EF67B727c3F1c0eCC7ed009"
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
const multicall =
  "0xac9650d800000000000000000000000000000000000000000000000000000000000000200000000000000000000000000000000000000000000000000000000000000002000000000000000000000000000000000000000000000000000000000000004000000000000000000000000000000000000000000000000000000000000001800000000000000000000000000000000000000000000000000000000000000104b858183f0000000000000000000000000000000000000000000000000000000000000020000000000000000000000000000000000000000000000000000000000000008000000000000000000000000013f4ea83d0bd40e75c8222255bc855a974568dd40000000000000000000000000000000000000000000007bdd71b06c3fe2a000000000000000000000000000000000000000000000000000001db537255517dac000000000000000000000000000000000000000000000000000000000000002b5df0a19605b7b31716fc83dcfc6a79a36ef7a0f2000064bb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c00000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000004449404b7c00000000000000000000000000000000000000000000000001db537255517dac000000000000000000000000cee2de50c89673d81d39dfc1ecaabf6d576ba8db00000000000000000000000000000000000000000000000000000000"

/** Signatures of one function with different parameter names, which count how often they are used. */
const counting = (count: number, canonical = "transfer(address,uint256)") => {
  const reads = { count: 0 }
  const signatures = Array.from({ length: count }, (_, index) => {
    const { members, ...rest } = signature(`function ${canonical.replace(/([,)])/g, ` p${index}$1`)}`)
    return {
      ...rest,
      get members() {
        reads.count++
        return members
      },
    }
  })
  return { reads, signatures }
}

/** A call that fails for a dirty address. */
const dirtyTransfer = `0xa9059cbb${"f".repeat(64)}${word(1)}`

describe("Decoder", () => {
  describe("equal signatures", () => {
    it("fromSignatures: tries one of a thousand signatures that match the same data", () => {
      const { reads, signatures } = counting(1_000)
      const set = Decoder.fromSignatures(signatures)

      expect(set.call(dirtyTransfer)).toBeNull()
      expect(reads.count).toBe(1)
      expect(set.call(`0xa9059cbb${word(1)}${word(2)}`)?.params.map(({ name }) => name)).toEqual(["p0", "p0"])
    })

    it("fromSignatures: tries at most eight signatures of one selector or topic", () => {
      const { reads, signatures } = counting(20)
      const others = signatures.map((other, index) => Object.assign(other, { canonical: `f${index}(address,uint256)` }))

      expect(Decoder.fromSignatures(others).call(dirtyTransfer)).toBeNull()
      expect(reads.count).toBe(8)
    })

    it("fromSignatures: separates events of one topic by which parameters are indexed", () => {
      const forms = ["indexed ", ""].map((indexed) => signature(`event Sent(uint256 ${indexed}id)`))
      const set = Decoder.fromSignatures([...forms, ...forms])

      expect(set.candidates(forms[0]!.key)).toHaveLength(2)
      expect(values(set.event(log([forms[0]!.key, word(1)])))).toEqual(["1"])
      expect(values(set.event(log([forms[0]!.key], word(2))))).toEqual(["2"])
    })

    it("inOrder: does not try a signature again that an earlier set has", () => {
      const [first, second] = [counting(1), counting(1)]
      const sets = [first, second].map(({ signatures }) => Decoder.fromSignatures(signatures))

      expect(Decoder.inOrder(sets).call(dirtyTransfer)).toBeNull()
      expect([first.reads.count, second.reads.count]).toEqual([1, 0])
    })
  })

  describe("event", () => {
    it("event: decodes a token transfer, with keys in the order of the interface", () => {
      const item = decoder.event(log([transferTopic, word(alice), word(bob)], word(0x229322)))

      expect(JSON.stringify(item)).toBe(
        '{"signature":"Transfer(address,address,uint256)","label":"Transfer","type":"event","params":[' +
          `{"name":"from","value":"${aliceText}","type":"address"},` +
          `{"name":"to","value":"${bobText}","type":"address"},` +
          '{"name":"value","value":"2265890","type":"uint256"}]}',
      )
    })

    it("event: distinguishes transfers and approvals of NFTs and tokens by their topics", () => {
      const approvalTopic = key("event Approval(address,address,uint256)")

      expect(fields(decoder.event(log([transferTopic, word(0), word(bob), word(4818837)])))).toEqual({
        from: "0x0000000000000000000000000000000000000000",
        to: bobText,
        tokenId: "4818837",
      })
      expect(fields(decoder.event(log([approvalTopic, word(alice), word(bob), word(7)])))).toEqual({
        owner: aliceText,
        approved: bobText,
        tokenId: "7",
      })
      expect(fields(decoder.event(log([approvalTopic, word(alice), word(bob)], word(7))))).toEqual({
        owner: aliceText,
        spender: bobText,
        value: "7",
      })
    })

    it("event: decodes a transfer without indexed parameters", () => {
      expect(values(decoder.event(log([transferTopic], word(alice), word(bob), word(9))))).toEqual([
        aliceText,
        bobText,
        "9",
      ])
    })

    it("event: reads ERC-1155 batches", () => {
      const topic = "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb"
      const data = [word(64), word(160), word(2), word(3), word(4), word(2), word(10n ** 20n), word(1)]

      const item = decoder.event(log([topic, word(alice), word(0), word(bob)], ...data))

      expect(item?.signature).toBe("TransferBatch(address,address,address,uint256[],uint256[])")
      expect(item?.params.slice(3)).toEqual([
        { name: "ids", value: '["3","4"]', type: "uint256[]" },
        { name: "values", value: '["100000000000000000000","1"]', type: "uint256[]" },
      ])
    })

    it("event: keeps the order of the signature if an indexed parameter is last", () => {
      const topic = key("event URI(string,uint256)")
      const text = Buffer.from("ipfs://a", "utf8").toString("hex").padEnd(64, "0")

      expect(values(decoder.event(log([topic, word(5)], word(32), word(8), text)))).toEqual(["ipfs://a", "5"])
    })

    it("event: reads swaps of both kinds of pool", () => {
      const pair = "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822"
      const pool = "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67"

      expect(
        fields(
          decoder.event(
            log([pair, word(alice), word(bob)], word(0x4881bd3345cb), word(0), word(0), word(0x293ad9266eeb809n)),
          ),
        ),
      ).toEqual({
        sender: aliceText,
        amount0In: "79722062235083",
        amount1In: "0",
        amount0Out: "0",
        amount1Out: "185682853956073481",
        to: bobText,
      })
      expect(
        values(
          decoder.event(
            log([pool, word(alice), word(bob)], word(-5n), word(3n), word(2n ** 96n), word(10n ** 18n), word(-887272)),
          ),
        ),
      ).toEqual([aliceText, bobText, "-5", "3", "79228162514264337593543950336", "1000000000000000000", "-887272"])
    })

    it("event: decodes liquidity added to a pool, with indexed ticks", () => {
      const topic = "0x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde"

      expect(
        fields(
          decoder.event(
            log([topic, word(alice), word(-887220), word(263590)], word(bob), word(324181464597), word(16509), word(1)),
          ),
        ),
      ).toEqual({
        sender: bobText,
        owner: aliceText,
        tickLower: "-887220",
        tickUpper: "263590",
        amount: "324181464597",
        amount0: "16509",
        amount1: "1",
      })
    })

    it.each([
      [
        "event Sync(uint112 reserve0, uint112 reserve1)",
        [],
        [word(7666426903352137n), word(1)],
        ["7666426903352137", "1"],
      ],
      [
        "event Deposit(address indexed dst, uint256 wad)",
        [word(bob)],
        [word(5n * 10n ** 15n)],
        [bobText, "5000000000000000"],
      ],
      [
        "event ApprovalForAll(address indexed owner, address indexed operator, bool approved)",
        [word(alice), word(bob)],
        [word(1)],
        [aliceText, bobText, "true"],
      ],
      [
        "event OwnershipTransferred(address indexed a, address indexed b)",
        [word(alice), word(bob)],
        [],
        [aliceText, bobText],
      ],
      ["event Upgraded(address indexed implementation)", [word(alice)], [], [aliceText]],
      ["event AdminChanged(address a, address b)", [], [word(alice), word(bob)], [aliceText, bobText]],
      [
        "event RoleGranted(bytes32 indexed role, address indexed account, address indexed sender)",
        ["ab".repeat(32), word(alice), word(bob)],
        [],
        [`0x${"ab".repeat(32)}`, aliceText, bobText],
      ],
      [
        "event PairCreated(address indexed token0, address indexed token1, address pair, uint256 length)",
        [word(alice), word(bob)],
        [word(alice), word(7)],
        [aliceText, bobText, aliceText, "7"],
      ],
      [
        "event PoolCreated(address indexed a, address indexed b, uint24 indexed fee, int24 spacing, address pool)",
        [word(alice), word(bob), word(3000)],
        [word(60), word(alice)],
        [aliceText, bobText, "3000", "60", aliceText],
      ],
    ] as const)("reads %s", (text, topics, data, expected) => {
      expect(values(decoder.event(log([key(text), ...topics], ...data)))).toEqual(expected)
    })

    it("event: returns the hash of an indexed string", () => {
      const named = KnownSignatures.decoder([signature("event Named(string indexed name, uint256[] indexed ids)")])
      const topics = [key("event Named(string,uint256[])"), "cd".repeat(32), "ef".repeat(32)]

      expect(named.event(log(topics))?.params).toEqual([
        { name: "name", value: `0x${"cd".repeat(32)}`, type: "string" },
        { name: "ids", value: `0x${"ef".repeat(32)}`, type: "uint256[]" },
      ])
    })

    it("event: reads upper-case digits and writes lower case", () => {
      const topics = [key("event ApproveHash(bytes32,address)"), "AB".repeat(32), word(alice).toUpperCase()]

      expect(values(decoder.event(log(topics)))).toEqual([`0x${"ab".repeat(32)}`, aliceText])
      expect(
        values(decoder.event(log([key("event AdminChanged(address,address)")], word(alice), word(bob.toUpperCase())))),
      ).toEqual([aliceText, bobText])
      expect(values(decoder.call(`0xA9059CBB${word(bob.toUpperCase())}${word(5)}`))).toEqual([bobText, "5"])
    })

    it("event: returns null for logs that no signature matches exactly", () => {
      const two = [transferTopic, word(alice), word(bob)]

      expect(decoder.event(log([]))).toBeNull()
      expect(decoder.event(log(["00".repeat(32)]))).toBeNull()
      expect(decoder.event(log(two))).toBeNull()
      expect(decoder.event(log(two, word(1), word(2)))).toBeNull()
      expect(decoder.event(log(two, word(1).slice(2)))).toBeNull()
      expect(decoder.event(log([...two, word(1)], word(1)))).toBeNull()
      expect(decoder.event(log([transferTopic, "11".repeat(32), word(bob)], word(1)))).toBeNull()
      expect(decoder.event({ topics: log(two).topics, data: "" })).toBeNull()
    })
  })

  describe("call", () => {
    it("call: decodes a token transfer", () => {
      expect(decoder.call(`0xa9059cbb${word("d04c57f232e21371d5502bc5f79033b9045e9f1a")}${word(10n ** 16n)}`)).toEqual({
        signature: "transfer(address,uint256)",
        label: "transfer",
        type: "function",
        params: [
          { name: "to", value: "0xD04c57f232e21371D5502bc5f79033B9045E9f1a", type: "address" },
          { name: "value", value: "10000000000000000", type: "uint256" },
        ],
      })
    })

    it("call: reads the path of a swap as JSON", () => {
      const input = `0x7ff36ab5${word(0)}${word(128)}${word(alice)}${word(1714582956)}${word(2)}${word(alice)}${word(bob)}`

      expect(fields(decoder.call(input))).toEqual({
        amountOutMin: "0",
        path: `["${aliceText}","${bobText}"]`,
        to: aliceText,
        deadline: "1714582956",
      })
    })

    it("call: reads a swap's parameters in a tuple, of both routers", () => {
      const second = [
        word(alice),
        word(bob),
        word(100),
        word(alice),
        word(10n ** 12n),
        word(75710134584201887632n),
        word(0),
      ]
      const first = [...second.slice(0, 4), word(1721235511), ...second.slice(4)]

      expect(decoder.call(`0x04e45aaf${second.join("")}`)?.params).toEqual([
        {
          name: "params",
          value: `["${aliceText}","${bobText}","100","${aliceText}","1000000000000","75710134584201887632","0"]`,
          type: "(address,address,uint24,address,uint256,uint256,uint160)",
        },
      ])
      expect(values(decoder.call(`0x414bf389${first.join("")}`))).toEqual([
        `["${aliceText}","${bobText}","100","${aliceText}","1721235511","1000000000000","75710134584201887632","0"]`,
      ])
    })

    it("call: keeps the calls inside a multicall as bytes, which can be decoded in turn", () => {
      const [data] = values(decoder.call(multicall)) ?? []
      const inner: ReadonlyArray<string> = JSON.parse(data ?? "")

      expect(inner.map((input) => decoder.call(input)?.signature)).toEqual([
        "exactInput((bytes,address,uint256,uint256))",
        "unwrapWETH9(uint256,address)",
      ])
      expect(values(decoder.call(inner[0] ?? ""))).toEqual([
        '["0x5df0a19605b7b31716fc83dcfc6a79a36ef7a0f2000064bb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c",' +
          '"0x13f4EA83D0bd40E75C8222255bc855a974568Dd4","36558500000000000000000","133792364460342700"]',
      ])
    })

    it("call: reads lists of tuples with bytes inside", () => {
      const calls = [word(2), word(64), word(224), word(alice), word(1), word(96), word(2), "abcd".padEnd(64, "0")]
      const input = `0x82ad56cb${word(32)}${[...calls, word(bob), word(0), word(96), word(0)].join("")}`

      expect(decoder.call(input)?.params).toEqual([
        {
          name: "calls",
          value: `[["${aliceText}","true","0xabcd"],["${bobText}","false","0x"]]`,
          type: "(address,bool,bytes)[]",
        },
      ])
    })

    it("call: reads payments to several recipients", () => {
      const input = `0xe63d38ed${word(64)}${word(160)}${word(2)}${word(alice)}${word(bob)}${word(2)}${word(1)}${word(2)}`

      expect(fields(decoder.call(input))).toEqual({ recipients: `["${aliceText}","${bobText}"]`, values: '["1","2"]' })
    })

    it.each([
      ["approve", `0x095ea7b3${word(bob)}${"f".repeat(64)}`, [bobText, (2n ** 256n - 1n).toString()]],
      ["safeTransferFrom", `0x42842e0e${word(alice)}${word(bob)}${word(4968)}`, [aliceText, bobText, "4968"]],
      ["setApprovalForAll", `0xa22cb465${word(bob)}${word(1)}`, [bobText, "true"]],
      ["deposit", "0xd0e30db0", []],
      ["withdraw", `0x2e1a7d4d${word(25n * 10n ** 15n)}`, ["25000000000000000"]],
      ["transferOwnership", `0xf2fde38b${word(bob)}`, [bobText]],
      ["renounceOwnership", "0x715018a6", []],
      ["upgradeToAndCall", `0x4f1ef286${word(bob)}${word(64)}${word(1)}${"ff".padEnd(64, "0")}`, [bobText, "0xff"]],
      ["multiSend", `0x8d80ff0a${word(32)}${word(1)}${"07".padEnd(64, "0")}`, ["0x07"]],
      [
        "execute",
        `0x3593564c${word(96)}${word(160)}${word(9)}${word(1)}${"0b".padEnd(64, "0")}${word(1)}${word(32)}${word(0)}`,
        ["0x0b", '["0x"]', "9"],
      ],
    ] as const)("reads %s", (label, input, expected) => {
      expect(decoder.call(input)?.label).toBe(label)
      expect(values(decoder.call(input))).toEqual(expected)
    })

    it("call: accepts trailing bytes, which some callers append", () => {
      const input = `0xa9059cbb${word(bob)}${word(5)}`

      expect(decoder.call(`${input}c0ffee`)).toEqual(decoder.call(input))
      expect(decoder.call("0xd0e30db0c0ffee")?.label).toBe("deposit")
    })

    it("call: returns null for a plain transfer, an unknown selector, and arguments that do not match", () => {
      expect(decoder.call("0x")).toBeNull()
      expect(decoder.call("")).toBeNull()
      expect(decoder.call("0xa9059c")).toBeNull()
      expect(decoder.call("0x00000000")).toBeNull()
      expect(decoder.call("0xa9059cbb")).toBeNull()
      expect(decoder.call(`0xa9059cbb${word(bob)}`)).toBeNull()
      expect(decoder.call(`0xa9059cbb${"ff".repeat(32)}${word(5)}`)).toBeNull()
      expect(decoder.call(`0xa9059cbb${word(bob)}${word(5)}0`)).toBeNull()
      expect(decoder.call(`0xa9059cbb${word(bob)}${word(5).slice(2)}zz`)).toBeNull()
    })

    it.prop(
      "law: returns for any bytes after a known selector, and for any other text, without throwing",
      [Arbitrary.schema(Schema.Literals(KnownSignatures.lines)), hex(0, 600), Arbitrary.schema(Schema.String)],
      ([text, bytes, other]) => {
        const { indexedCount, key, kind } = signature(text)
        const topics = [key, ...Array.from({ length: indexedCount }, (_, index) => `0x${word(index)}`)]
        const item = kind === "event" ? decoder.event({ topics, data: bytes }) : decoder.call(key + bytes.slice(2))

        expect(item === null || item.params.every(({ value }) => typeof value === "string")).toBe(true)
        expect(decoder.call(other)).toBeNull()
        expect(decoder.event({ topics: [...topics.slice(0, 1), other], data: other })).toBeNull()
      },
      { arbitrary: { runs: 500 } },
    )
  })

  describe("make", () => {
    it("make: tries given signatures before the built-in ones, and the next one if one does not match", () => {
      const named = KnownSignatures.decoder([signature("function transfer(address _to, uint256 _value)")])
      const narrow = KnownSignatures.decoder([
        signature("event Transfer(address indexed a, address indexed b, uint256 indexed c)"),
      ])

      expect(fields(named.call(`0xa9059cbb${word(bob)}${word(5)}`))).toEqual({ _to: bobText, _value: "5" })
      expect(fields(narrow.event(log([transferTopic, word(alice), word(bob)], word(5))))).toEqual({
        from: aliceText,
        to: bobText,
        value: "5",
      })
    })

    it("make: distinguishes two functions with one selector by their arguments", () => {
      const clash = [
        signature("function burn(uint256 amount)"),
        signature("function collate_propagate_storage(bytes16 id)"),
      ]
      const both = KnownSignatures.decoder(clash)

      expect(new Set(clash.map((one) => one.key))).toEqual(new Set(["0x42966c68"]))
      expect(both.call(`0x42966c68${word(7)}`)?.label).toBe("burn")
      expect(KnownSignatures.decoder(clash.slice(1)).call(`0x42966c68${word(7)}`)?.label).toBe("burn")
      expect(
        KnownSignatures.decoder(clash.slice(1)).call(`0x42966c68${"ab".repeat(16)}${"00".repeat(16)}`)?.params,
      ).toEqual([{ name: "id", value: `0x${"ab".repeat(16)}`, type: "bytes16" }])
    })

    it("make: uses an empty name for an unnamed parameter", () => {
      const nameless = KnownSignatures.decoder([signature("function ping(uint256)")])

      expect(nameless.call(`${key("function ping(uint256)")}${word(1)}`)?.params).toEqual([
        { name: "", value: "1", type: "uint256" },
      ])
    })
  })

  describe("revision", () => {
    it("revision: is a whole number of 31 bits, the same for the same signatures", () => {
      expect(Number.isInteger(decoder.revision)).toBe(true)
      expect(decoder.revision).toBeGreaterThanOrEqual(0)
      expect(decoder.revision).toBeLessThan(2 ** 31)
      expect(KnownSignatures.decoder().revision).toBe(decoder.revision)
    })

    it("revision: changes with a signature, a name or the order of signatures with one selector", () => {
      const one = signature("function burn(uint256 value)")
      const other = signature("function collate_propagate_storage(bytes16 id)")
      const renamed = signature("function burn(uint256 amount)")
      const sets = [[], [one], [other], [one, other], [other, one], [renamed, other]]

      expect(new Set(sets.map((extra) => KnownSignatures.decoder(extra).revision)).size).toBe(6)
      expect(KnownSignatures.decoder([one, renamed]).revision).toBe(KnownSignatures.decoder([one]).revision)
    })

    it("revision: does not change with the order of signatures of different selectors", () => {
      const one = signature("function ping(uint256 a)")
      const other = signature("function pong(uint256 a)")

      expect(KnownSignatures.decoder([one, other]).revision).toBe(KnownSignatures.decoder([other, one]).revision)
    })
  })
})
