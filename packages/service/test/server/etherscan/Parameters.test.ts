import { describe, expect, it } from "vitest"
import { Result } from "effect"
import type { Refused } from "../../../src/server/etherscan/Envelope.ts"
import type { Form } from "../../../src/server/etherscan/Form.ts"
import * as Parameters from "../../../src/server/etherscan/Parameters.ts"
import * as Rows from "../rows.ts"

type Reader<A> = (parameters: Parameters.Parameters) => Result.Result<A, Refused>

/** The value of the parameters in a query, or the text of the error. */
const reading =
  <A>(read: Reader<A>) =>
  (query: string) =>
    Result.match(read(Parameters.parse(query, [])), {
      onSuccess: (value: A): unknown => value,
      onFailure: ({ result }) => result,
    })

describe("Parameters", () => {
  it("parse: uses the first non-empty value of a name in any case, from the query and then the form", () => {
    const parse = (query: string, form: Form) => Object.fromEntries(Parameters.parse(query, form))
    const form = [
      ["PAGE", "3"],
      ["SORT", "asc"],
      ["tag", "latest"],
    ] as const

    expect(parse("Page=1&page=2&sort=", form)).toEqual({
      page: "1",
      sort: "asc",
      tag: "latest",
    })
    expect(parse("", [])).toEqual({})
  })

  it("parse: leaves out the spaces around a value, which scripts with queries of several lines send", () => {
    const query = `module=account%0A%20%20&address=${Rows.bob}%20%20&page=+2+&sort=%20`

    expect(Object.fromEntries(Parameters.parse(query, []))).toEqual({
      module: "account",
      address: Rows.bob,
      page: "2",
    })
  })

  it("parse: reads the names of Blockscout as those of Etherscan", () => {
    const parse = (query: string) => Object.fromEntries(Parameters.parse(query, []))

    expect(parse("start_block=3&End_Block=9&chain_id=1")).toEqual({ startblock: "3", endblock: "9", chainid: "1" })
    expect(parse("startblock=3&start_block=4")).toEqual({ startblock: "3" })
    expect(parse("start_block=4&startblock=3")).toEqual({ startblock: "3" })
    expect(parse("start_block=4&startblock=")).toEqual({ startblock: "4" })
  })

  it("address: has 20 bytes, in lower case", () => {
    const read = reading(Parameters.address)
    const ifSent = reading((parameters) => Parameters.addressIfSent(parameters, "contractaddress"))
    const invalid = "Error! Invalid address format"

    expect(read(`address=0x${"A".repeat(40)}`)).toBe(Rows.alice)
    expect([read("address=0x12"), read("")]).toEqual([invalid, invalid])
    expect(ifSent(`contractaddress=${Rows.bob}&address=0x12`)).toBe(Rows.bob)
    expect([ifSent("contractaddress=0x12"), ifSent(`address=${Rows.bob}`)]).toEqual([invalid, undefined])
  })

  it("transactionHash: has 32 bytes, in lower case", () => {
    const read = reading(Parameters.transactionHash)
    const invalid = "Error! Invalid transaction hash"

    expect(read(`txhash=0x${"A".repeat(64)}`)).toBe(`0x${"a".repeat(64)}`)
    expect([read("txhash=0x12"), read("")]).toEqual([invalid, invalid])
  })

  it("number, required: are decimal digits up to the largest exact number", () => {
    const read = reading((parameters) => Parameters.number(parameters, "page", 7))
    const required = reading((parameters) => Parameters.required(parameters, "page"))
    const invalid = "Error! Invalid page: expected decimal digits"

    expect([read(""), read("page=0"), read("page=12")]).toEqual([7, 0, 12])
    expect(read(`page=${"9".repeat(30)}`)).toBe(Number.MAX_SAFE_INTEGER)
    for (const text of ["-1", "1.5", "1e3", "0x1", "latest", "9".repeat(31)]) expect(read(`page=${text}`)).toBe(invalid)
    expect([required("page=12"), required("page=x"), required("")]).toEqual([12, invalid, invalid])
  })

  it("block: is a number, or the default for an absent value and for latest", () => {
    const read = reading((parameters) => Parameters.block(parameters, "startblock", 7))

    expect(["startblock=3", "", "startblock=latest", "startblock=Latest"].map(read)).toEqual([3, 7, 7, 7])
    expect(read("startblock=earliest")).toBe("Error! Invalid startblock: expected decimal digits")
  })

  it("list: defaults to every block and 10,000 rows, oldest first", () => {
    const read = reading(Parameters.list)
    const all = { from: 0, to: Number.MAX_SAFE_INTEGER, order: "ASC", limit: 10_000, skipped: 0 }

    expect(read("")).toEqual(all)
    expect(read("startblock=latest")).toBe("Error! Invalid startblock: expected decimal digits")
    expect(read("startblock=3&endblock=9&page=4&offset=10&sort=DESC")).toEqual({
      from: 3,
      to: 9,
      order: "DESC",
      limit: 10,
      skipped: 30,
    })
    expect(read("start_block=3&end_block=9")).toEqual({ ...all, from: 3, to: 9 })
    expect(read("page=0&offset=0&sort=other")).toEqual(all)
    expect(read("page=2&offset=20000")).toEqual({ ...all, skipped: 10_000 })
    expect(read(`page=${"9".repeat(20)}`)).toEqual({ ...all, skipped: Number.MAX_SAFE_INTEGER })
  })

  it("list: rejects filters that it does not apply, and values that are not numbers", () => {
    const read = reading(Parameters.list)

    const atBlockscout = ["filter_by", "filterby", "start_timestamp", "starttimestamp", "end_timestamp", "endtimestamp"]
    for (const name of ["from", "to", "fromto_opr", ...atBlockscout]) {
      expect(read(`${name}=1`)).toBe(`Error! The parameter ${name} is not supported for this action`)
    }
    for (const name of ["startblock", "endblock", "page", "offset"]) {
      expect(read(`${name}=x`)).toBe(`Error! Invalid ${name}: expected decimal digits`)
    }
  })
})
