import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import * as Node from "../server/node.ts"
import { daybook, timeout, withConfig } from "./daybook.ts"

describe("daybook dev", () => {
  it.live(
    "dev: states what to do without a node, with a URL that is not a node's, and with contradictory arguments",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        const other = yield* Node.start(() => Node.error('{"code":-32601,"message":"no"}'), 0)
        const lineOf = (...args: ReadonlyArray<string>) =>
          Effect.map(daybook(base, "dev", ...args), ({ code, err }) => [code, err])

        expect(yield* lineOf("--rpc", "http://127.0.0.1:1/KEY0123456789")).toEqual([
          1,
          "daybook: No node responds at 127.0.0.1:1. Start it, or correct --rpc.\n",
        ])
        expect(yield* lineOf("--rpc", other.url)).toEqual([
          1,
          expect.stringContaining("No node responds at 127.0.0.1:"),
        ])
        expect(yield* lineOf("--rpc", "ws://127.0.0.1:8545/KEY0123456789")).toEqual([
          3,
          'daybook: Invalid option "--rpc": expected an http or https URL such as https://host/path, received a URL with the scheme ws:.\n',
        ])
        expect(yield* lineOf("--rpc", "http://127.0.0.1:1", "--chain")).toEqual([
          2,
          "daybook: Both --rpc and --chain are given. Give one of them.\n",
        ])
        expect(yield* lineOf("--rpc", "http://127.0.0.1:1", "--port", "99999")).toEqual([
          2,
          'daybook: Invalid option "--port": expected a port from 0 to 65535, received "99999".\n',
        ])
        expect(yield* lineOf("--rpc", other.url, "--artifacts", import.meta.filename)).toEqual([
          2,
          `daybook: Invalid option "--artifacts": expected a folder, received the file "${import.meta.filename}".\n`,
        ])
        const node = yield* Node.start(() => Node.error('{"code":-32601,"message":"no"}'), 1_337)
        const { port } = new URL(node.url)
        expect(yield* lineOf("--rpc", node.url, "--port", port, "--artifacts", "not-built")).toEqual([
          expect.any(Number),
          `Folder not found: "not-built". Its contracts are named once it exists.\ndaybook: Cannot listen on 127.0.0.1:${port}: the port is in use. Name another port with --port.\n`,
        ])
      }).pipe(Effect.scoped),
    timeout,
  )
})
