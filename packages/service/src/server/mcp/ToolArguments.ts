/**
 * Issues of a tool call, in the sentences of the interface: a model corrects an argument by its name, the received value and the expected
 * one.
 *
 * Source: decisions 0012 and 0074.
 */
import * as Issue from "@daybook/schema/Issue"
import * as Tool from "effect/ai/Tool"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as SchemaParser from "effect/SchemaParser"
import type { Message } from "./McpMessage.ts"
import { toolkit } from "./Tools.ts"

const tools = new Map(Object.entries(toolkit.tools))

/** The server decodes with the same options. */
const strict = { errors: "all", onExcessProperty: "error" } as const

/** Issues that a response states at most: a request of 64 KiB can have thousands of unknown arguments. */
const maxIssues = 10

/** The argument names that were sent to a tool without parameters; undefined if it has some, or for none. */
const namesTo = (schema: Schema.Top, sent: unknown): ReadonlyArray<string> | undefined => {
  const names = schema === Tool.EmptyParams && Predicate.isObject(sent) ? Object.keys(sent) : []
  return names.length === 0 ? undefined : names
}

const sentencesOf = (params: object): ReadonlyArray<string> => {
  const { arguments: sent = {}, name } = params as { readonly arguments?: unknown; readonly name?: unknown }
  const tool = tools.get(String(name))
  if (tool === undefined) {
    const expected = `one of ${[...tools.keys()].join(", ")}`
    return [Issue.format("tool", { path: "", expected, received: Issue.describe(name) })]
  }
  const names = namesTo(tool.parametersSchema, sent)
  if (names !== undefined) {
    const shown = names.slice(0, maxIssues).map(Issue.quote)
    const received = [...shown, ...(names.length > maxIssues ? ["others"] : [])].join(", ")
    return [Issue.format("arguments", { path: "", expected: "none, as the tool takes no arguments", received })]
  }
  const found = SchemaParser.decodeUnknownResult(tool.parametersSchema)(sent, strict)
  if (Result.isSuccess(found)) return []
  const issues = Issue.fromError(found.failure, sent).slice(0, maxIssues)
  return issues.map((issue) => Issue.format("argument", issue))
}

/** Issues of a message's arguments in one text; undefined if there are none, or if it calls no tool. */
export const issueOf = ({ method, params }: Pick<Message, "method" | "params">): string | undefined => {
  const sentences = method === "tools/call" && Predicate.isObject(params) ? sentencesOf(params) : []
  return sentences.length === 0 ? undefined : sentences.join(" ")
}
