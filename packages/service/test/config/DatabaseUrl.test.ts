import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as DatabaseUrl from "../../src/config/DatabaseUrl.ts"

describe("DatabaseUrl", () => {
  it("sqliteFolder: rejects a folder with ~, which a configuration file does not expand", () => {
    const refused = Result.fail({
      expected: '"sqlite:" and a folder, for example "sqlite:data"',
      received: 'a folder that begins with "~", which only a shell expands',
    })

    expect(["~", "~/data", "data/~", "~data"].map(DatabaseUrl.sqliteFolder)).toEqual([
      refused,
      refused,
      Result.succeed("data/~"),
      Result.succeed("~data"),
    ])
  })

  it.each([
    "sslmode=require&channel_binding=require",
    "target_session_attrs=read-write&connect_timeout=10",
    "keepalives=1&keepalives_idle=30&gssencmode=disable&client_encoding=utf8",
  ])("postgresName: accepts the parameters %s, as providers write them", (parameters) => {
    expect(DatabaseUrl.postgresName(`postgres://u:p@host/name?${parameters}`)).toEqual(Result.succeed("host/name"))
  })

  it.each(["ssl=true", "pgbouncer=true", "sslcrl=x"])("postgresName: rejects the parameter %s", (parameters) => {
    expect(DatabaseUrl.postgresName(`postgres://u:p@host/name?${parameters}`)).toMatchObject({
      _tag: "Failure",
      failure: { received: 'a parameter that has no effect; write TLS as "sslmode=require"' },
    })
  })
})
