import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import * as Environment from "../../src/config/Environment.ts"

const folder = mkdtempSync(join(tmpdir(), "daybook-environment-"))
afterAll(() => rmSync(folder, { recursive: true }))

const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text)
  return join(folder, name)
}

describe("Environment.expand", () => {
  it("expand: replaces variables in every text, but not in names of keys", () => {
    const input = { a: "${A}-${A}", list: ["x", { b: "${B}" }], "${A}": 1, n: null, truth: true }

    const { issues, secret, value } = Environment.expand(input, { A: "1", B: "${A}$&" })

    expect(value).toEqual({ a: "1-1", list: ["x", { b: "${A}$&" }], "${A}": 1, n: null, truth: true })
    expect([...secret]).toEqual(["a", "list[1].b"])
    expect(issues).toEqual([])
  })

  it("expand: reads a variable from the file that NAME_FILE names, unless NAME is set", () => {
    const path = file("password", "from file \n")
    const read = (environment: Environment.Environment) => Environment.expand("${P}", environment).value

    expect(read({ P_FILE: path })).toBe("from file ")
    expect(read({ P_FILE: file("windows", "secret\r\n") })).toBe("secret")
    expect(read({ P: "set", P_FILE: path })).toBe("set")
    expect(read({ P: "", P_FILE: path })).toBe("from file ")
  })

  it("expand: names each variable without a value, and the reason", () => {
    const environment = {
      EMPTY: "",
      GONE_FILE: join(folder, "gone"),
      FOLDER_FILE: folder,
      BLANK_FILE: file("blank", "\n"),
      LARGE_FILE: file("large", "x".repeat(65_537)),
    }
    const { issues } = Environment.expand(
      { rpc: ["${EMPTY}", "${GONE}", "${FOLDER}", "${BLANK}", "${LARGE}", "${__proto__}"] },
      environment,
    )

    const invalid = (at: number, expected: string, received: string) => ({
      path: `rpc[${at}]`,
      message: `Invalid configuration "rpc[${at}]": expected the environment variable ${expected}, received ${received}.`,
    })
    const readable = "to name a readable file of at most 65536 bytes"
    expect(issues).toEqual([
      invalid(0, "EMPTY to be set", "nothing"),
      invalid(1, `GONE_FILE ${readable}`, "a file that cannot be read (ENOENT)"),
      invalid(2, `FOLDER_FILE ${readable}`, "a file that cannot be read (EISDIR)"),
      invalid(3, `BLANK_FILE ${readable}`, "an empty file"),
      invalid(4, `LARGE_FILE ${readable}`, "65537 bytes"),
      invalid(5, "__proto__ to be set", "nothing"),
    ])
  })
})
