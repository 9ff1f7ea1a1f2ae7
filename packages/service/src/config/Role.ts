/**
 * Roles of a process: the parts of the service that it runs. A process has one or more, written as a list such as `index,rest`.
 */
import { format, quote } from "@daybook/schema/Issue"
import * as Result from "effect/Result"

/** `index` writes the index, `rest` serves the REST operations, `relay` forwards JSON-RPC calls to nodes. */
export type Role = "index" | "rest" | "relay"

/** All roles, in the order in which a list of them is written. */
export const all: ReadonlyArray<Role> = ["index", "rest", "relay"]

const shortForms: ReadonlyMap<string, ReadonlyArray<Role>> = new Map([
  ["all", all],
  ["serve", ["rest", "relay"]],
])

const isRole = (text: string): text is Role => all.some((role) => role === text)

/**
 * Parses a list of roles, separated by commas; `all` stands for every role and `serve` for `rest,relay`. The failure is a message.
 */
export const parse = (text: string): Result.Result<ReadonlyArray<Role>, string> => {
  const names = text.split(",").map((name) => name.trim().toLowerCase())
  const expanded = names.flatMap((name): ReadonlyArray<string> => shortForms.get(name) ?? [name])
  const unknown = expanded.find((name) => !isRole(name))
  if (unknown !== undefined) {
    const expected = `a list of ${all.join(", ")}, or one of all, serve`
    return Result.fail(format("option", { path: "--role", expected, received: quote(text) }))
  }
  return Result.succeed(all.filter((role) => expanded.includes(role)))
}
