import { Result } from "effect"
import { describe, expect, it } from "vitest"
import * as DatabaseUrl from "../../src/config/DatabaseUrl.ts"

describe("DatabaseUrl", () => {
  it.each([
    "sslmode=require&channel_binding=require",
    "target_session_attrs=read-write&connect_timeout=10",
    "keepalives=1&keepalives_idle=30&gssencmode=disable&client_encoding=utf8",
  ])("postgresName: takes the parameters %s, as providers write them", (parameters) => {
    expect(DatabaseUrl.postgresName(`postgres://u:p@host/name?${parameters}`)).toEqual(Result.succeed("host/name"))
  })

  it.each(["ssl=true", "pgbouncer=true", "sslcrl=x"])("postgresName: refuses the parameter %s", (parameters) => {
    expect(DatabaseUrl.postgresName(`postgres://u:p@host/name?${parameters}`)).toMatchObject({
      _tag: "Failure",
      failure: { received: 'a parameter without an effect; TLS is "sslmode=require"' },
    })
  })
})
