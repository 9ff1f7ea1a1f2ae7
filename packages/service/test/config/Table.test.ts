import { readFileSync } from "node:fs"
import { Result, Schema, SchemaAST } from "effect"
import { describe, expect, it } from "vitest"
import * as Config from "../../src/config/Config.ts"

/** A row of the table in the document. */
interface Row {
  readonly key: string
  readonly accepts: string
  readonly initial: string
}

const document = readFileSync(new URL("../../../../docs/configuration.md", import.meta.url), "utf8")

const rows: ReadonlyArray<Row> = document
  .slice(document.indexOf("\n## Keys"), document.indexOf("\n## Exit codes"))
  .split("\n")
  .flatMap((line) => {
    const [, key, accepts, initial] = /^\| `([^`]+)` \| (.+?) \| (.+?) \| .*\|$/.exec(line) ?? []
    return key === undefined ? [] : [{ key, accepts: accepts!, initial: initial! }]
  })

/** The paths of all values that a schema names; those of a record are one value, but for the chains. */
const keysOf = (ast: SchemaAST.AST, path: string): ReadonlyArray<string> => {
  const at = (key: string) => (path === "" ? key : `${path}.${key}`)
  if (SchemaAST.isUnion(ast)) {
    const members = ast.types.flatMap((member) => keysOf(member, path))
    return [...new Set(ast.types.some((member) => !SchemaAST.isObjects(member)) ? [path, ...members] : members)]
  }
  if (SchemaAST.isArrays(ast)) {
    const items = [...ast.elements, ...ast.rest].flatMap((item) => keysOf(item, `${path}[]`))
    return [...new Set([path, ...items.filter((item) => item !== `${path}[]`)])]
  }
  if (!SchemaAST.isObjects(ast)) return [path]
  const [record] = ast.indexSignatures
  if (record !== undefined) return path === "chains" ? keysOf(record.type, "chains.<name>") : [path]
  return ast.propertySignatures.flatMap(({ name, type }) => keysOf(type, at(String(name))))
}

const smallest = {
  listen: "127.0.0.1:8080",
  database: "sqlite:data",
  chains: { eth: { rpc: ["http://127.0.0.1:8545"] } },
}

/** Values that are not accepted, if `null` is not an example of what an operator writes. */
const wrong: Readonly<Record<string, unknown>> = {
  "chains.<name>.ens": "on",
  listen: "8080",
  "listen.host": "",
  "listen.port": 70_000,
  monitoring: "9464",
  "monitoring.host": "",
  "monitoring.port": -1,
  "tls.cert": "",
  "tls.key": "",
  trustedProxies: 11,
  database: "mysql://daybook@localhost/daybook",
  "database.url": "mysql://daybook@localhost/daybook",
  "database.replicas": "postgres://replica/daybook",
  documents: "gzip",
  backfillThreads: 17,
  indexThreads: 65,
  "chains.<name>.id": 0,
  "chains.<name>.rpc": "http://127.0.0.1:8545",
  "chains.<name>.rpc[].url": "ftp://127.0.0.1:8545",
  "chains.<name>.rpc[].perSecond": 0,
  "chains.<name>.rpc[].concurrency": 0,
  "chains.<name>.rpc[].maxBatchSize": 0,
  "chains.<name>.rpc[].headers": "authorization: Bearer x",
  "chains.<name>.rpc[].jwt": "secret",
  "chains.<name>.fromBlock": -1,
  "chains.<name>.fromDate": "31.01.2024",
  "chains.<name>.watch": [],
  "chains.<name>.checks": "none",
  "chains.<name>.ethereumRules": "yes",
  "chains.<name>.feeRules": "ether",
  "chains.<name>.finalityBlocks": 0,
  "chains.<name>.rewinds": "yes",
  "chains.<name>.traces": "on",
  "chains.<name>.allFrames": "yes",
  "chains.<name>.pollMillis": 0,
  "chains.<name>.proofCallsPerMinute": -1,
  "chains.<name>.artifacts": "out",
  "chains.<name>.labels": "labels.json",
  empty: "undefined",
  maxLimit: 1_001,
  "relay.cacheMebibytes": -1,
  signatures: "",
  signingKey: "",
  "log.format": "xml",
  "log.access": "yes",
  "otlp.url": "collector:4318",
  "otlp.headers": "authorization: x",
  explorer: "on",
  docs: "keyed",
  "anonymous.operations": "relay",
  allowedOrigins: "*",
  allowedHosts: "localhost",
  "webhooks.key": "short",
  "webhooks.allowPrivate": "yes",
  "webhooks.perKey": -1,
  "webhooks.addressesPerKey": -1,
  "webhooks.addressesPerWebhook": 0,
  "webhooks.total": -1,
  "limits.traces.depth": 1_025,
}

/** Objects that may contain a value, with their other required keys. */
const beside: Readonly<Record<string, object>> = {
  listen: { host: "127.0.0.1", port: 8080 },
  monitoring: { host: "127.0.0.1", port: 9464 },
  otlp: { url: "http://127.0.0.1:4318" },
  webhooks: { key: "k".repeat(32) },
  tls: { cert: "cert.pem", key: "key.pem" },
  database: { url: "postgres://primary/daybook" },
  "chains.eth.rpc.0": { url: "http://127.0.0.1:8545" },
}

/** A copy of a value in which the value of a key is another one. */
const withValue = (value: unknown, path: ReadonlyArray<string>, at: string, other: unknown): unknown => {
  const [key, ...rest] = path
  if (key === undefined) return other
  if (Array.isArray(value)) return [withValue(value[0], rest, `${at}.0`, other)]
  const own = typeof value === "object" && value !== null ? value : (beside[at] ?? {})
  const inner = at === "" ? key : `${at}.${key}`
  return { ...own, [key]: withValue((own as Readonly<Record<string, unknown>>)[key], rest, inner, other) }
}

const pathOf = (key: string) => key.replace("<name>", "eth").replace("[]", ".0").split(".")

const withKey = (key: string, value: unknown) => withValue(smallest, pathOf(key), "", value)

const valueAt = (value: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce((inner, key) => (inner as Readonly<Record<string, unknown>> | undefined)?.[key], value)

describe("docs/configuration.md", () => {
  it("table: lists every key of the configuration, and no others", () => {
    const known = keysOf(Schema.toEncoded(Config.Config).ast, "")

    expect(rows.map(({ key }) => key).toSorted()).toEqual([...known].toSorted())
  })

  it.each(rows)("$key: accepts $accepts, which the message for another value names", ({ accepts, key }) => {
    const decoded = Config.decode(withKey(key, wrong[key] ?? 0), {})
    const path = key.replace("<name>", "eth").replace("[]", "[0]")

    const issues = Result.isFailure(decoded) ? decoded.failure.issues : []
    expect(issues).toHaveLength(1)
    expect(issues[0]!.startsWith(`Invalid configuration "${path}": expected ${accepts}, received `)).toBe(true)
  })

  it("table: states the defaults of a decoded configuration", () => {
    const decoded = Result.getOrThrow(Config.decode(smallest, {}))
    const stated = rows.filter(({ initial, key }) => initial.startsWith("`") && !key.startsWith("database."))

    expect(stated.length).toBeGreaterThan(30)
    expect(stated.map(({ key }) => [key, valueAt(decoded, pathOf(key))])).toEqual(
      stated.map(({ initial, key }) => [key, JSON.parse(initial.slice(1, -1))]),
    )
  })

  it("table: marks the required keys", () => {
    const required = rows.filter(({ initial, key }) => initial === "required" && !/\.(url|host|port)$/.test(key))
    const issues = required.map(({ key }) => {
      const decoded = Config.decode(withKey(key, undefined), {})
      return Result.isFailure(decoded) ? decoded.failure.issues.length : 0
    })

    expect(required.map(({ key }) => key)).toEqual(["listen", "database", "chains.<name>.rpc"])
    expect(issues).toEqual([1, 1, 1])
  })
})
