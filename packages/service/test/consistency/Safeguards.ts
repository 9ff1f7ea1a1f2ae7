/** Safeguards for consistent pages and exclusive writers, each with the edit that removes it. */
import type { Edit } from "./Edit.ts"

/**
 * The checked database. `replica` reads pages from a lagging PostgreSQL replica; `nodes` has tables distributed over simulated nodes
 * that share no snapshot, and `citus` over Citus nodes.
 */
export type Subject = "sqlite" | "postgres" | "replica" | "nodes" | "citus"

export const subjects: ReadonlyArray<Subject> = ["sqlite", "postgres", "replica", "nodes", "citus"]

export interface Safeguard {
  readonly name: string
  readonly subject: Subject
  readonly edits: ReadonlyArray<Edit>
}

const cursor: Edit = {
  file: "query/WalletPage.ts",
  from: "if (resumeFromBlock != null) return",
  to: "if (false) return",
}

const headOfWrite: Edit = {
  file: "store/rows/WritePlan.ts",
  from: "!BlockLinks.isSame(head, expected)",
  to: "false",
}

const sqlite: ReadonlyArray<Omit<Safeguard, "subject">> = [
  {
    name: "a write compares the head",
    edits: [headOfWrite],
  },
  {
    name: "a write compares its token",
    edits: [{ file: "store/sqlite/ChainFile.ts", from: "(isCurrent ? Effect.void", to: "(true ? Effect.void" }],
  },
  {
    name: "a write is one transaction",
    edits: [
      {
        file: "store/sqlite/ChainWriter.ts",
        from: "    Journal.rememberUnsafe(",
        to: '    connection.scriptUnsafe("COMMIT; BEGIN IMMEDIATE"); Journal.rememberUnsafe(',
      },
    ],
  },
  {
    name: "a page is one snapshot",
    edits: [{ file: "store/sqlite/ReadPool.ts", from: 'taken.rowsUnsafe("BEGIN", [])', to: "undefined" }],
  },
  { name: "a page compares the blocks of its cursor", edits: [cursor] },
]

const postgres: ReadonlyArray<Omit<Safeguard, "subject">> = [
  {
    name: "a write compares the head",
    edits: [headOfWrite],
  },
  {
    name: "a write compares its token",
    edits: [{ file: "store/postgres/Checkpoints.ts", from: "token !== null && token !== current", to: "false" }],
  },
  {
    name: "a write locks the checkpoint",
    edits: [{ file: "store/postgres/Statements.ts", from: ".checkpoint FOR UPDATE", to: ".checkpoint" }],
  },
  {
    name: "a write is one transaction",
    edits: [
      {
        file: "store/postgres/ChainWriter.ts",
        from: "  yield* Journal.remember(",
        to: '  yield* at.session.rows("COMMIT", []); yield* at.session.rows("BEGIN", []); yield* Journal.remember(',
      },
    ],
  },
  {
    name: "a page in a transaction is one snapshot",
    edits: [
      {
        file: "store/postgres/Pool.ts",
        from: "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        to: "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY",
      },
      { file: "store/postgres/Replicas.ts", from: "|| !server.layout.isTogether", to: "|| true" },
    ],
  },
  {
    name: "a page and its state are read by one statement",
    edits: [
      {
        file: "store/postgres/SnapshotStart.ts",
        from: "const start = rows.find(",
        to: "const start = (yield* session.rows<ReadonlyArray<unknown>>(statement, [...paramsOf(expected), ...pageParams(query, PageFit.rangeOf(query))])).find(",
      },
    ],
  },
  { name: "a page compares the blocks of its cursor", edits: [cursor] },
]

const replica: ReadonlyArray<Omit<Safeguard, "subject">> = [
  {
    name: "a replica reads what its serial has reached",
    edits: [
      {
        file: "store/postgres/Replicas.ts",
        from: "if (state.serial >= atLeast) return",
        to: "if (true) return",
      },
    ],
  },
  {
    name: "serials grow with each write",
    edits: [
      {
        file: "store/postgres/Journal.ts",
        from: "Math.max(write.columns.serial + 1, clock)",
        to: "1",
      },
    ],
  },
]

const nodes: ReadonlyArray<Omit<Safeguard, "subject">> = [
  {
    name: "a node that lacks writes is not read",
    edits: [{ file: "store/postgres/Marks.ts", from: "serial >= $1", to: "serial >= 0" }],
  },
  {
    name: "a node whose rows have changed since is not read",
    edits: [{ file: "store/postgres/Marks.ts", from: "since <= $1", to: "since >= 0" }],
  },
  {
    name: "a write that removes rows moves both serials of a mark",
    edits: [{ file: "store/postgres/Marks.ts", from: 'Values.bool(change === "added")', to: "Values.bool(true)" }],
  },
  {
    name: "transactions are proved, and not only histories",
    edits: [
      {
        file: "store/postgres/DistributedStatements.ts",
        from: 'WHERE d.id = ANY($1::int8[]) AND ${proved(schema, "$2")}',
        to: "WHERE d.id = ANY($1::int8[]) AND $2::int8 > 0",
      },
    ],
  },
  {
    name: "lists of a range of blocks are proved, and not only pages",
    edits: [
      {
        file: "store/postgres/DistributedStatements.ts",
        from: 'documentsUp: Statements.documentsIn(schema, "ASC", `AND ${proved(schema, "$4")}`)',
        to: 'documentsUp: Statements.documentsIn(schema, "ASC", "AND $4::int8 > 0")',
      },
      {
        file: "store/postgres/DistributedStatements.ts",
        from: 'documentsDown: Statements.documentsIn(schema, "DESC", `AND ${proved(schema, "$4")}`)',
        to: 'documentsDown: Statements.documentsIn(schema, "DESC", "AND $4::int8 > 0")',
      },
    ],
  },
]

const of = (subject: Subject, safeguards: ReadonlyArray<Omit<Safeguard, "subject">>): ReadonlyArray<Safeguard> =>
  safeguards.map((safeguard) => ({ ...safeguard, subject }))

/** All safeguards of the engines. */
export const all: ReadonlyArray<Safeguard> = [
  ...of("sqlite", sqlite),
  ...of("postgres", postgres),
  ...of("replica", replica),
  ...of("nodes", nodes),
]
