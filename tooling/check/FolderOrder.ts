/**
 * Order of the folders of a package: a folder imports only folders before it. A file belongs to the longest entry that is a prefix of
 * its path, and a module may be an entry of its own. In all other packages, all modules and `internal` form one folder.
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
    "store/sqlite/backup",
    "store/sqlite/Engine",
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

/** Entry of a path without its extension: the longest one that equals it or contains it. */
export const entryOf = (order: ReadonlyArray<string>, path: string): string | undefined =>
  order
    .filter((entry) => path === entry || path.startsWith(`${entry}/`))
    .toSorted((one, other) => other.length - one.length)[0]

/** The order in the form that ARCHITECTURE contains. */
export const formatOrder = (order: ReadonlyArray<string>): string => order.join(" < ")
