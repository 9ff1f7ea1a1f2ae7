import { ConnectionError, SqlError, UnknownError } from "effect/sql/SqlError"
import { describe, expect, it } from "vitest"
import * as Issue from "../../../src/store/postgres/Issue.ts"

const stateOf = (code: string) =>
  new SqlError({ reason: new UnknownError({ cause: Object.assign(new Error("server"), { code }) }) })

describe("Issue", () => {
  describe("isDamage", () => {
    it.each(["XX001", "XX002"])("isDamage: the server found damage, SQLSTATE %s", (code) => {
      expect(Issue.isDamage(Issue.toStoreError("database", stateOf(code)))).toBe(true)
    })

    it.each(["08006", "42501", "42P01", "57014", "57P01"])("isDamage: another failure, SQLSTATE %s", (code) => {
      expect(Issue.isDamage(Issue.toStoreError("database", stateOf(code)))).toBe(false)
    })

    it("isDamage: a connection that was lost is none", () => {
      const lost = new SqlError({ reason: new ConnectionError({ cause: new Error("ECONNRESET") }) })

      expect(Issue.isDamage(Issue.toStoreError("database", lost))).toBe(false)
    })
  })
})
