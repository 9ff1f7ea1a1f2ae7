import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expect } from "vitest"
import { daybook, timeout, withConfig } from "./daybook.ts"

const address = "0x5FbDB2315678afecb367f032d93F642f64180aa3"
const abi = [{ type: "function", name: "poke", inputs: [{ name: "times", type: "uint256" }] }]

describe("daybook abi", () => {
  it.live(
    "abi add, list and remove: describe a contract by its address and a pack by its name",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        const file = join(base, "Vault.json")
        writeFileSync(file, JSON.stringify({ contractName: "Vault", abi }))
        const run = (...args: ReadonlyArray<string>) => daybook(base, "abi", ...args)

        expect(yield* run("list")).toMatchObject({ code: 0, out: "" })
        expect(yield* run("add", address, file)).toMatchObject({
          code: 0,
          err: 'Added 1 item of "Vault" to eth.\n',
        })
        expect((yield* run("add", "my pack", file)).code).toBe(0)
        expect((yield* run("add", address, file, "--name", "Treasury")).code).toBe(0)
        expect((yield* run("list")).out).toBe(
          `eth\t${address.toLowerCase()}\tTreasury\t1 item\tcommand\neth\tpack\tmy pack\t1 item\tcommand\n`,
        )
        expect((yield* run("remove", address)).code).toBe(0)
        expect((yield* run("remove", address)).err).toBe(
          `daybook: No ABI has this key: "${address}". "daybook abi list" lists them.\n`,
        )
        expect((yield* run("list")).out).toBe("eth\tpack\tmy pack\t1 item\tcommand\n")
      }).pipe(Effect.scoped),
    timeout,
  )

  it.live(
    "abi add: rejects a file that is missing, empty or not an ABI, and a key that is neither an address nor a name",
    () =>
      Effect.gen(function* () {
        const base = yield* withConfig()
        const write = (name: string, text: string) => {
          writeFileSync(join(base, name), text)
          return join(base, name)
        }
        const errOf = (...args: ReadonlyArray<string>) =>
          Effect.map(daybook(base, "abi", "add", ...args), ({ code, err }) => `${code} ${err}`)

        const missing = join(base, "missing.json")
        expect(yield* errOf(address, missing)).toBe(`1 daybook: Cannot read the ABI: ${missing}. Check the path.\n`)
        expect(yield* errOf(address, write("a.json", "{"))).toContain(
          "Invalid ABI: expected JSON, received other text.",
        )
        expect(yield* errOf(address, write("b.json", '{"abi":7}'))).toContain("expected an array, received 7")
        expect(yield* errOf(address, write("c.json", "[]"))).toContain("Nothing to decode in the ABI")
        const file = write("d.json", JSON.stringify(abi))
        expect(yield* errOf("0x1234", file)).toContain('2 daybook: Invalid argument "contract"')
        expect(yield* errOf(address, file, "--name", "")).toContain(
          '2 daybook: Invalid option "--name": expected a line of',
        )
      }).pipe(Effect.scoped),
    timeout,
  )
})
