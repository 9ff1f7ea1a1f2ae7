import { describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { expect } from "vitest"
import * as Role from "../../src/config/Role.ts"

describe("Role.parse", () => {
  it.each([
    ["all", ["index", "rest", "relay"]],
    ["serve", ["rest", "relay"]],
    ["index", ["index"]],
    ["relay,index", ["index", "relay"]],
    [" Rest , relay,rest ", ["rest", "relay"]],
    ["index,serve", ["index", "rest", "relay"]],
  ] as const)("parse: reads %j", (text, roles) => {
    expect(Role.parse(text)).toEqual(Result.succeed(roles))
  })

  it.each(["", "both", "index,", "index;rest", "constructor"])("parse: rejects %j with the accepted roles", (text) => {
    expect(Role.parse(text)).toEqual(
      Result.fail(
        `Invalid option "--role": expected a list of index, rest, relay, or one of all, serve, received ${JSON.stringify(text)}.`,
      ),
    )
  })

  it.prop(
    "parse: returns each set of roles once and in one order, however a list repeats and orders them",
    { given: Schema.NonEmptyArray(Schema.Literals(["index", "rest", "relay"])) },
    ({ given }) => {
      const roles = Role.all.filter((role) => given.includes(role))

      expect(Role.parse(given.join(","))).toEqual(Result.succeed(roles))
    },
  )
})
