import { AuthenticationError, ConnectionError, SqlError, UnknownError } from "effect/sql/SqlError"
import { describe, expect, it } from "vitest"
import { StoreError } from "../../../src/store/StoreError.ts"
import * as Issue from "../../../src/store/postgres/Issue.ts"

/** How the driver classifies an error that the server sent. */
const sent = (code: string, message = "server", where?: string) =>
  new SqlError({
    reason: new UnknownError({ cause: Object.assign(new Error(message), { severity: "ERROR", code, message, where }) }),
  })

const shown = (error: SqlError) => {
  const { isRetryable, message } = Issue.toStoreError("db1/chains", error)
  return { isRetryable, message }
}

describe("Issue", () => {
  describe("isDamage", () => {
    it.each(["XX001", "XX002"])("isDamage: is true for damage that the server found, SQLSTATE %s", (code) => {
      expect(Issue.isDamage(Issue.toStoreError("database", sent(code)))).toBe(true)
    })

    it.each(["08006", "42501", "42P01", "57014", "57P01", "XX000"])(
      "isDamage: is false for another failure, SQLSTATE %s",
      (code) => {
        expect(Issue.isDamage(Issue.toStoreError("database", sent(code)))).toBe(false)
      },
    )

    it("isDamage: is false for a lost connection", () => {
      const lost = new SqlError({ reason: new ConnectionError({ cause: new Error("ECONNRESET") }) })

      expect(Issue.isDamage(Issue.toStoreError("database", lost))).toBe(false)
    })
  })

  it("isDamage: is false for another error of the store", () => {
    expect(Issue.isDamage(new StoreError({ message: "another", isRetryable: true, cause: undefined }))).toBe(false)
  })

  it("isUndone: is true only for a transaction that was rolled back in favour of another", () => {
    expect(["40001", "40P01", "23505"].map((code) => Issue.isUndone(sent(code)))).toEqual([true, false, false])
  })

  it("sqlState: is only defined for an error of the server", () => {
    const causes = [
      "text",
      undefined,
      { severity: "ERROR", code: "40001" },
      Object.assign(new Error("no"), { severity: "ERROR" }),
    ]
    const stateOf = (cause: unknown) => Issue.sqlState(new SqlError({ reason: new UnknownError({ cause }) }))

    expect(stateOf(sent("40001").reason.cause)).toBe("40001")
    expect(causes.map(stateOf)).toEqual([undefined, undefined, undefined, undefined])
  })

  it("isConflict: is true only for the state of a row that violates a key", () => {
    expect(Issue.isConflict(Issue.toStoreError("database", sent("23505")))).toBe(true)
    expect(Issue.isConflict(Issue.toStoreError("database", sent("23503")))).toBe(false)
    expect(Issue.isConflict(new StoreError({ message: "another", isRetryable: true, cause: undefined }))).toBe(false)
  })

  it("unanswered, rolledBack: are retryable, and name the database", () => {
    expect([Issue.unanswered("db1/chains"), Issue.rolledBack("db1/chains")]).toMatchObject([
      {
        isRetryable: true,
        message: "Database does not respond: db1/chains. Check the load, the disks and the network of its machine.",
      },
      { isRetryable: true, message: "Database transaction rolled back: db1/chains. Try again." },
    ])
  })

  describe("toStoreError", () => {
    it.each([
      [Object.assign(new Error("self-signed"), { code: "SELF_SIGNED_CERT_IN_CHAIN" }), "SELF_SIGNED_CERT_IN_CHAIN"],
      [
        Object.assign(new Error("other name"), { code: "ERR_TLS_CERT_ALTNAME_INVALID" }),
        "ERR_TLS_CERT_ALTNAME_INVALID",
      ],
      [new Error("The server does not support TLS"), "it has none"],
    ])("toStoreError: %s is a database that cannot be reached with TLS", (cause, reason) => {
      expect(shown(new SqlError({ reason: new ConnectionError({ cause }) }))).toEqual({
        isRetryable: true,
        message: `Database unreachable by TLS: db1/chains (${reason}). Check the certificate of the server, and "sslmode" and "sslrootcert" of "database".`,
      })
    })

    it("toStoreError: treats a certificate code as a TLS failure only in a connection error", () => {
      const cause = Object.assign(new Error("self-signed"), { code: "SELF_SIGNED_CERT_IN_CHAIN" })

      expect(shown(new SqlError({ reason: new UnknownError({ cause }) }))).toEqual({
        isRetryable: false,
        message: "Database failed: db1/chains.",
      })
      expect(shown(new SqlError({ reason: new ConnectionError({ cause: { ...cause } }) })).message).toContain(
        "Database unreachable: db1/chains. ",
      )
    })

    it.each(["EPIPE", "ECONNRESET"])(
      "toStoreError: a socket that broke with %s is an unreachable database, and not an SQLSTATE",
      (code) => {
        const broken = Object.assign(new Error(`write ${code}`), { code, errno: -32, syscall: "write" })
        const error = new SqlError({ reason: new ConnectionError({ cause: broken }) })

        expect(shown(error)).toEqual({
          isRetryable: true,
          message:
            "Database unreachable: db1/chains. Check that PostgreSQL runs and accepts connections from this machine.",
        })
        expect(Issue.sqlState(error)).toBe(undefined)
      },
    )

    it("toStoreError: a connection that ended during a statement may be lost, and one that was not made is unreachable", () => {
      const ended = (operation: string) =>
        shown(new SqlError({ reason: new ConnectionError({ cause: new Error("ended"), operation }) }))

      expect(ended("query")).toMatchObject({
        isRetryable: true,
        message: expect.stringContaining("Connection to the database lost: db1/chains"),
      })
      expect(ended("connect").message).toContain("Database unreachable: db1/chains")
    })

    it.each([
      ["08006", true, "Database unreachable"],
      ["25006", true, "Database read-only"],
      ["25P03", true, "Database transaction ended because it waited too long"],
      ["25P04", true, "Database transaction ended because it took too long"],
      ["28P01", false, "Database refused the login"],
      ["3D000", false, "Database missing"],
      ["3F000", true, "Database schema missing"],
      ["40001", true, "Database busy"],
      ["40P01", true, "Database busy"],
      ["42501", false, "Database permission missing"],
      ["42P01", true, "Database schema missing"],
      ["53100", true, "Database out of space or memory"],
      ["53300", true, "Database has too many connections"],
      ["53400", true, "Database limit reached"],
      ["55P03", true, "Database busy"],
      ["57P03", true, "Database unreachable"],
      ["57014", true, "Database statement cancelled"],
      ["58030", true, "Disk error in database"],
      ["72000", true, "Database busy"],
      ["XX001", false, "Database damaged"],
    ])("toStoreError: SQLSTATE %s is retryable: %s", (code, isRetryable, what) => {
      const error = shown(sent(code))

      expect(error.isRetryable).toBe(isRetryable)
      expect(error.message).toContain(`${what}: db1/chains (SQLSTATE ${code}). `)
    })

    it("toStoreError: an unknown failure is not retryable, and has only its state", () => {
      expect(shown(sent("22012"))).toEqual({
        isRetryable: false,
        message: "Database failed: db1/chains (SQLSTATE 22012).",
      })
      // Not from a server: its states are strings.
      const cause = Object.assign(new Error("odd"), { severity: "ERROR", code: 8 })
      const odd = new SqlError({ reason: new UnknownError({ cause }) })
      expect(shown(odd)).toEqual({ isRetryable: false, message: "Database failed: db1/chains." })
    })

    it("toStoreError: a login failure that the driver reports without a state is rejected", () => {
      const refused = new SqlError({ reason: new AuthenticationError({ cause: new Error("no password") }) })

      expect(shown(refused)).toEqual({
        isRetryable: false,
        message: 'Database refused the login: db1/chains. Correct the user and password of "database".',
      })
    })

    it.each([
      ["XX000", "failure on connection marked as essential: w1.lan:5432", undefined],
      [
        "08006",
        "connection to the remote node daybook@w1.lan:5432 failed with the following error: refused",
        undefined,
      ],
      ["08006", "connection establishment for node w1.lan:5432 failed", undefined],
      ["58030", "failed to COPY to shard 102008 on w1.lan:5432", undefined],
      ["XX000", "failed to prepare transaction 'citus_0_1' on host w1.lan:5432", undefined],
      ["57P01", "terminating connection due to administrator command", "while executing command on w1.lan:5432"],
    ])("toStoreError: a lost Citus node is retryable and named, SQLSTATE %s of %s", (code, message, where) => {
      expect(shown(sent(code, message, where))).toEqual({
        isRetryable: true,
        message: `Database node unreachable: w1.lan:5432 of db1/chains (SQLSTATE ${code}). Check that PostgreSQL runs there and accepts connections from the coordinator.`,
      })
    })

    it("toStoreError: another failure of a Citus node keeps its message, and names the node", () => {
      const full = sent("53100", "could not extend file", "while executing command on w1.lan:5432")

      expect(shown(full).message).toBe(
        "Database out of space or memory: w1.lan:5432 of db1/chains (SQLSTATE 53100). Free some on its machine.",
      )
    })

    it("toStoreError: an internal error of the server is retryable, as Citus uses it for failures without a code", () => {
      expect(shown(sent("XX000"))).toEqual({
        isRetryable: true,
        message: "Internal database error: db1/chains (SQLSTATE XX000). See the log of PostgreSQL.",
      })
    })

    it.each(["26000", "42P05"])(
      "toStoreError: names a pooler that changes servers between transactions, SQLSTATE %s",
      (code) => {
        expect(shown(sent(code))).toEqual({
          isRetryable: false,
          message: `Prepared statement lost between transactions: db1/chains (SQLSTATE ${code}). A pooler in front of the database must pool sessions.`,
        })
      },
    )

    it.each([
      [
        "25P02",
        "Database transaction failed earlier: db1/chains (SQLSTATE 25P02). A pooler in front of the database must pool sessions.",
      ],
      [
        "08P01",
        "Database refused the connection: db1/chains (SQLSTATE 08P01). Behind a pooler, check that it knows a database of this name, and its log.",
      ],
    ])("toStoreError: an error of a pooler is retryable, SQLSTATE %s", (code, message) => {
      expect(shown(sent(code))).toEqual({ isRetryable: true, message })
    })
  })
})
