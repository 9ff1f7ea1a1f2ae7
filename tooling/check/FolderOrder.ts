/**
 * The order of the folders of a package: a folder imports only folders before it. A file in a folder belongs to the longest entry
 * that its path begins with, and a module may be an entry of its own. The other packages are one room each: their modules and
 * `internal`, which holds what they do not export.
 */

/** Folders and modules of each package that has more than one, from the first to the last. */
export const folderOrder: Readonly<Record<string, ReadonlyArray<string>>> = {
  "packages/service": [
    "label",
    "config",
    "supervision",
    "verification",
    "block",
    "ledger",
    "node",
    "projection",
    "store",
    "store/rows",
    "store/sqlite",
    "store/postgres",
    "store/Engine",
    "contract",
    "fetch",
    "discovery",
    "token",
    "proof",
    "ens",
    "query",
    "signed",
    "indexer/job",
    "indexer/backfill",
    "indexer",
    "maintenance",
    "push",
    "server/http",
    "server/admission",
    "server/cluster",
    "server/docs",
    "server/chain",
    "server/monitoring",
    "server/relay",
    "server/rest",
    "server/webhook",
    "server/etherscan",
    "server/otterscan",
    "server/explorer",
    "server/mcp",
    "server",
    "Service",
    "dev",
    "statement",
    "export",
    "mcp",
    "cli",
    "main",
    "bin",
    "index",
  ],
  "apps/explorer": [
    "styles",
    "text",
    "service",
    "names",
    "navigation",
    "watch",
    "display",
    "search",
    "layout",
    "tokens",
    "charts",
    "contract",
    "download",
    "history",
    "blocks",
    "pages/address",
    "pages/block",
    "pages/transaction",
    "pages/home",
    "pages/webhooks",
    "pages",
    "Explorer",
    "main",
  ],
}

/** The entry of a path without its ending: the longest one that it is, or lies in. */
export const entryOf = (order: ReadonlyArray<string>, path: string): string | undefined =>
  order
    .filter((entry) => path === entry || path.startsWith(`${entry}/`))
    .toSorted((one, other) => other.length - one.length)[0]

/** The order, as printed in ARCHITECTURE. */
export const formatOrder = (order: ReadonlyArray<string>): string => order.join(" < ")
