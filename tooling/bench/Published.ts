/**
 * The benchmarks whose tables are in documents: what each measures, and its tables by name. In a document, a table is between two comments,
 * `<!-- figures: rpc -->` and `<!-- end of figures -->`; `pnpm figures --write` fills it from the results.
 */
import * as BundleTable from "./bundle/Table.ts"
import * as ClientTables from "./clients/Tables.ts"
import * as CodecTable from "./codecs/Table.ts"
import type { Table } from "./Figures.ts"
import * as IndexTables from "./indexing/Tables.ts"
import * as RpcTable from "./rpc/Table.ts"
import * as ServingTables from "./serving/Tables.ts"

export interface Published {
  /** Git pathspecs as globs from the root. A commit that changes a matching path makes the tables obsolete. */
  readonly sources: ReadonlyArray<string>
  readonly tables: Readonly<Record<string, Table>>
}

const schema = "packages/schema/src"
const abi = "packages/abi/src"
const transport = "packages/transport/src"
const rest = "packages/rest/src"
const rpc = "packages/rpc/src"
const peers = "tooling/bench/package-lock.json"

/** The service, without the parts that neither an indexer nor a page runs. */
const service = [
  schema,
  abi,
  transport,
  rpc,
  "packages/service/src",
  "packages/service/dictionaries",
  ...["cli", "dev", "export", "statement"].map((name) => `:(exclude)packages/service/src/${name}`),
]

/** By benchmark name. */
export const published: Readonly<Record<string, Published>> = {
  codecs: { sources: [schema, "tooling/bench/codecs", peers], tables: { codecs: CodecTable.table } },
  browser: {
    sources: [schema, "tooling/bench/codecs", "tooling/nodes/BrowserPage.ts", peers],
    tables: { browser: CodecTable.browser },
  },
  rpc: { sources: [schema, transport, rpc, "tooling/bench/rpc", peers], tables: { rpc: RpcTable.table } },
  clients: {
    sources: [schema, transport, rest, rpc, "tooling/bench/clients", peers],
    tables: { "clients rest": ClientTables.rest, "clients rpc": ClientTables.rpc },
  },
  bundle: {
    sources: [schema, transport, rest, rpc, "tooling/bench/bundle", peers],
    tables: { bundle: BundleTable.table },
  },
  index: {
    sources: [...service, "tooling/bench/indexing", "tooling/bench/indexers/package-lock.json"],
    tables: { "index speed": IndexTables.speed, "index resources": IndexTables.resources },
  },
  page: {
    sources: [...service, "tooling/bench/serving"],
    tables: {
      "page hand": ServingTables.hand,
      "page movements": ServingTables.movementsTable,
      "page relay": ServingTables.relay,
      "page codings": ServingTables.codings,
    },
  },
}
