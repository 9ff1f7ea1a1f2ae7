import { describe, expect, it } from "vitest"
import type { DatabaseUrl } from "../../../src/config/DatabaseUrl.ts"
import * as HostNames from "../../../src/server/monitoring/HostNames.ts"
import * as WatchedWallets from "../../../src/store/rows/WatchedWallets.ts"

const hiderOf = (nodes: ReadonlyArray<string>, database: DatabaseUrl = "sqlite:data") =>
  HostNames.hider({ nodes, database, baseFolder: "/home/alice" })

describe("HostNames", () => {
  it("hides the hosts of the configured nodes, addresses, and other names with a port", () => {
    const hide = hiderOf(["http://geth:8545/key", "http://erigon/key", "https://KEY.provider.example/v3"])
    for (const host of [
      "geth:8545",
      "erigon",
      "key.provider.example",
      "other.example:8545",
      "127.0.0.1:8545",
      "10.0.0.7",
      "localhost:8545",
      "[::1]:8545",
    ]) {
      expect(hide(`Wrong chain at ${host}: expected chain id 1.`)).toBe("Wrong chain at the node: expected chain id 1.")
      expect(hide(`${host} cannot trace ("x").`)).toBe('the node cannot trace ("x").')
    }
  })

  it("leaves other words, numbers and files unchanged", () => {
    const hide = hiderOf(["http://geth:8545", "http://node:8545", "http://node", "https://a.example"])
    for (const text of [
      "2 blocks behind the head of the node.",
      "Synced at 12.5 blocks/s, e.g. at 2026-11-22T12:30:00.000Z.",
      "Database damaged: chain-eth.sqlite. Restore a backup.",
      'Correct "rpc" in daybook.json.',
      "debug_traceBlockByHash, geth-like",
      "Invalid response: result.transactions[1].transactionIndex: expected a number, received 0x.",
      "result.pro.example.transactions[0].a.example.to: expected 0x, at 12:30.",
    ]) {
      expect(hide(text)).toBe(text)
    }
  })

  it("hides the place of a PostgreSQL database and of its replicas and Citus nodes, in names without a domain too", () => {
    const hide = hiderOf(["http://10.0.0.7:8545"], {
      url: "postgres://app:secret@db-1:6432/books",
      replicas: ["postgres://app:secret@10.0.0.7/books"],
    })

    expect(
      [
        "Database unreachable: db-1:6432/books. Check that PostgreSQL runs.",
        "Database unreachable by TLS: 10.0.0.7/books (CERT_HAS_EXPIRED). Check the certificate of the server.",
        "Database node unreachable: worker-1:5432 of db-1:6432/books (SQLSTATE 08006). Check that it runs.",
        "Stored checkpoint damaged: projection 2 of db-1:6432/books. Stop the service.",
        "Database failed: db-1:6432/books.",
        WatchedWallets.lacking("db-1:6432/books", "eth", null, "[]")?.message ?? "",
      ].map(hide),
    ).toEqual([
      "Database unreachable. Check that PostgreSQL runs.",
      "Database unreachable by TLS (CERT_HAS_EXPIRED). Check the certificate of the server.",
      "Database node unreachable (SQLSTATE 08006). Check that it runs.",
      "Stored checkpoint damaged: projection 2 of the database. Stop the service.",
      "Database failed.",
      'The index lacks most wallets, which are needed without "watch". Stop the service, run "daybook reindex --all --chain eth" and start it again; or restore the previous "watch".',
    ])
  })

  it("searches a long text for the place of a PostgreSQL database in time that grows with its length", () => {
    const long = ":1".repeat(100_000)

    expect(hiderOf([], "postgres://app:secret@db-1:6432/books")(long)).toBe(long)
  }, 5_000)

  it("hides the folder of a SQLite database, which may name a user, and not its files", () => {
    const hide = hiderOf([])

    expect(
      [
        "Cannot write database: /home/alice/data/chain-eth.sqlite (EACCES, permission denied). Check the path.",
        "Cannot write database: /home/alice/data/chain-eth.sqlite (/home/alice/data: EACCES, permission denied).",
        "Database missing: /home/alice/database.",
        "Cannot read /mnt/home/alice/data/ca.pem.",
      ].map(hide),
    ).toEqual([
      "Cannot write database: chain-eth.sqlite (EACCES, permission denied). Check the path.",
      "Cannot write database: chain-eth.sqlite (the folder of the database: EACCES, permission denied).",
      "Database missing: /home/alice/database.",
      "Cannot read /mnt/home/alice/data/ca.pem.",
    ])
  })
})
