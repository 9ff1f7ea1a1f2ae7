/**
 * Runs the conformance suite of the Model Context Protocol and the command line of its inspector against a service. Most scenarios of
 * the suite call tools, resources and prompts of a server written for them (`test_simple_text` and others), which this service does not
 * have: these are listed with what they require. All others must pass.
 */
import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { Effect } from "effect"
import * as Campaign from "../campaign/Campaign.ts"
import { chainOf } from "../server/rest/ledgers.ts"
import * as Rows from "../server/rows.ts"
import { start } from "../server/service.ts"
import { temporaryFolder } from "../store/temporaryFolder.ts"

const folder = join(import.meta.dirname, "../../../../tooling/mcp")

/** Scenarios that apply to any server, with the number of checks of each. */
const applicable: Readonly<Record<string, number>> = {
  "server-initialize": 1,
  "logging-set-level": 1,
  ping: 1,
  "tools-list": 1,
  "resources-list": 1,
  "prompts-list": 1,
  "dns-rebinding-protection": 2,
}

const tool = (name: string): string => `a tool ${name}`

/** Scenarios that do not apply, with the missing feature. */
const missing: Readonly<Record<string, string>> = {
  "completion-complete": "a prompt test_prompt_with_arguments",
  "tools-call-simple-text": tool("test_simple_text"),
  "tools-call-image": tool("test_image_content"),
  "tools-call-audio": tool("test_audio_content"),
  "tools-call-embedded-resource": tool("test_embedded_resource"),
  "tools-call-mixed-content": tool("test_multiple_content_types"),
  "tools-call-with-logging": tool("test_tool_with_logging"),
  "tools-call-error": tool("test_error_handling"),
  "tools-call-with-progress": tool("test_tool_with_progress"),
  "tools-call-sampling": tool("test_sampling"),
  "tools-call-elicitation": tool("test_elicitation"),
  "json-schema-2020-12": tool("json_schema_2020_12_tool"),
  "elicitation-sep1034-defaults": tool("test_elicitation_sep1034_defaults"),
  "elicitation-sep1330-enums": tool("test_elicitation_sep1330_enums"),
  "server-sse-polling": "sessions and a stream of events",
  "server-sse-multiple-streams": "sessions and streams of events",
  "resources-read-text": "a resource test://static-text",
  "resources-read-binary": "a resource test://static-binary",
  "resources-templates-read": "a resource test://template/{id}/data",
  "resources-subscribe": "subscriptions to resources",
  "resources-unsubscribe": "subscriptions to resources",
  "prompts-get-simple": "a prompt test_simple_prompt",
  "prompts-get-with-args": "a prompt test_prompt_with_arguments",
  "prompts-get-embedded-resource": "a prompt test_prompt_with_embedded_resource",
  "prompts-get-with-image": "a prompt test_prompt_with_image",
}

const runFile = promisify(execFile)

/** Runs a program in the folder; returns its output regardless of its exit code. */
const runProgram = (name: string, home: string, args: ReadonlyArray<string>) =>
  Effect.promise(async () => {
    const program = join(folder, "node_modules/.bin", name)
    const options = { env: { ...process.env, HOME: home }, timeout: 120_000, maxBuffer: 16 * 1024 * 1024 }
    const { stderr, stdout } = await runFile(process.execPath, [program, ...args], options).catch(
      (error: { readonly stdout?: string; readonly stderr?: string }) => ({ stdout: "", stderr: "", ...error }),
    )
    return `${stdout}${stderr}`
  })

const casesOf = (url: string, key: string, home: string): ReadonlyArray<Campaign.Case> => {
  const endpoint = `${url}/mcp`
  const scenarios = [...Object.keys(applicable), ...Object.keys(missing)].map((name): Campaign.Case => ({
    name,
    run: Effect.fnUntraced(function* ({ fail }) {
      const needed = missing[name]
      if (needed !== undefined) return [`does not apply: needs ${needed}`]
      const output = yield* runProgram("conformance", home, ["server", "--url", endpoint, "--scenario", name])
      const passed = /Passed: (\d+)\/(\d+)/.exec(output)
      const isPassed = passed !== null && passed[1] === passed[2] && Number(passed[1]) === applicable[name]
      if (!isPassed) fail(output.slice(-1_000))
      return [isPassed ? `passed, ${passed[1]} of ${passed[2]} checks` : "failed"]
    }),
  }))
  const inspect = (what: string, expected: string, args: ReadonlyArray<string>): Campaign.Case => ({
    name: `inspector: ${what}`,
    run: Effect.fnUntraced(function* ({ fail }) {
      const common = ["--cli", endpoint, "--transport", "http", "--header", `X-API-Key: ${key}`]
      const output = yield* runProgram("mcp-inspector", home, [...common, ...args])
      const isPassed = output.includes(expected)
      if (!isPassed) fail(output.slice(-1_000))
      return [isPassed ? "passed" : "failed"]
    }),
  })
  const call = ["--method", "tools/call", "--tool-name", "wallet_movements"]
  return [
    ...scenarios,
    inspect("tools/list", '"explain_transaction"', ["--method", "tools/list"]),
    inspect("tools/call", '"amount": "-5"', [
      ...call,
      "--tool-arg",
      `address=${Rows.alice}`,
      "--tool-arg",
      "chain=eth",
    ]),
  ]
}

Campaign.main({
  name: "mcp:conformance",
  about:
    "Runs the conformance suite and the inspector of the Model Context Protocol. Fails if an applicable scenario fails.",
  options: {},
  plan: Effect.fnUntraced(function* () {
    if (!existsSync(join(folder, "node_modules/.package-lock.json"))) {
      yield* Effect.promise(() => runFile("npm", ["ci", "--loglevel=error"], { cwd: folder }))
    }
    const home = yield* temporaryFolder
    // The suite sends no key.
    const anonymous = { perSecond: 1_000, burst: 1_000 }
    const chains = { eth: chainOf({ 1: { 0: [{ amount: -5n }] } }, 3) }
    const { key, url } = yield* start({ chains, config: { anonymous } })
    return { cases: casesOf(url, key, home), columns: ["scenario", "result"] }
  }),
})
