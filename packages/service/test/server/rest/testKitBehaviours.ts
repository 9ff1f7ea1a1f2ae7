/** Behaviours of a service: each runs with a fake and with a service on the same chain, and returns the responses. */
import type { FakeService } from "@daybook/testkit"
import type { Json } from "../service.ts"

/** A response without the fields that differ from request to request. */
export interface Response {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Json
}

/** A fake, or a service with its chain. */
export interface Subject {
  readonly chain: Pick<FakeService.FakeService, "blocks" | "wallet">
  readonly get: (path: string, headers?: Readonly<Record<string, string>>, method?: string) => Promise<Response>
  /** Events of a stream up to the first one that reports the end of the stored events. */
  readonly listen: (path: string, lastEventId?: string) => Promise<ReadonlyArray<Json>>
  readonly mine: (blocks: number) => Promise<void>
  readonly reorg: (depth: number) => Promise<void>
  readonly reconcile: () => Promise<void>
}

/** A behaviour, which returns the values to compare. */
export interface Behaviour {
  readonly title: string
  readonly run: (subject: Subject) => Promise<unknown>
}

const path = ({ chain }: Subject, operation: string, query = "", wallet = chain.wallet) =>
  `/api/v2.2/${wallet}/${operation}${query === "" ? "" : `?${query}`}`

/** A single request. */
const one = (title: string, operation: string, query = "", wallet?: string): Behaviour => ({
  title: `${operation}: ${title}`,
  run: (subject) => subject.get(path(subject, operation, query, wallet)),
})

/** All pages of a list; `between` runs after the first page. */
const walk = async (
  subject: Subject,
  operation: string,
  query: string,
  between: () => Promise<void> = () => Promise.resolve(),
): Promise<ReadonlyArray<Response>> => {
  const pages: Array<Response> = []
  for (let cursor: string | null = ""; cursor !== null;) {
    const next: string = cursor === "" ? query : `${query}&cursor=${encodeURIComponent(cursor)}`
    const page = await subject.get(path(subject, operation, next))
    pages.push(page)
    if (pages.length === 1) await between()
    cursor = page.body.cursor ?? null
  }
  return pages
}

const walked = (title: string, operation: string, query: string): Behaviour => ({
  title: `${operation}: ${title}`,
  run: (subject) => walk(subject, operation, query),
})

/** A request with the cursor that the first page of another request returned. */
const withCursor = (title: string, first: string, operation: string, query: string): Behaviour => ({
  title: `${operation}: ${title}`,
  run: async (subject) => {
    const page = await subject.get(path(subject, first, "limit=2&order=ASC"))
    return subject.get(path(subject, operation, `cursor=${encodeURIComponent(page.body.cursor)}${query}`))
  },
})

const changing = (
  title: string,
  operation: string,
  query: string,
  change: (subject: Subject) => Promise<void>,
): Behaviour => ({
  title: `${operation}: ${title}`,
  run: (subject) => walk(subject, operation, query, () => change(subject)),
})

/** Another account of the chain. */
const otherWallet = ({ chain }: Subject): string => {
  const { from, to } = chain.blocks().flatMap(({ transactions }) => transactions)[3]!
  return from === chain.wallet ? to : from
}

const first = 20_000_000
const usdc = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"
const nowhere = `0x${"12".repeat(20)}`

const refused = (["verbose", "movements", "user_operations"] as const).flatMap((operation) => [
  one("refuses a limit of 0", operation, "limit=0"),
  one("refuses a limit above the highest", operation, "limit=101"),
  one("refuses a limit that is no number", operation, "limit=ten"),
  one("refuses an order that is none", operation, "order=UP"),
  one("refuses a text that is no cursor", operation, "cursor=none"),
])

const firstPages = (["verbose", "movements", "user_operations"] as const).map((operation) =>
  one("returns the first page for an empty cursor", operation, "limit=2&cursor="),
)

const ranges = (["verbose", "movements", "user_operations", "balances", "statement"] as const).flatMap((operation) => [
  one("refuses an unknown parameter", operation, "colour=red"),
  one("refuses a repeated parameter", operation, "chain=eth&chain=eth"),
  one("refuses an address that is none", operation, "", "0x123"),
  one("refuses a chain that is not served", operation, "chain=polygon"),
  one("refuses a text that names no chain", operation, "chain=etherium"),
  one("takes a chain by its identifier", operation, "chain=0x1"),
  one("refuses a block that is no number", operation, "to_block=last"),
  one("refuses a date that is none", operation, "to_date=sometime"),
  one("ends with a block", operation, `to_block=${first + 40}`),
  one("ends with the last block before a date", operation, "to_date=2024-06-10T06:20:30Z"),
  one("reads a date without a zone in UTC", operation, "to_date=2024-06-10 06:20:30"),
  one("reads a date in seconds", operation, "to_date=1718000430"),
  one("reads a date by the name of its month", operation, "to_date=June 10, 2024 06:20"),
  one("has a block in place of a date", operation, `to_block=${first + 9}&to_date=2024-06-10T06:20:30Z`),
  one("ends before the first block", operation, `to_block=${first - 1}`),
])

const fromRanges = (["verbose", "movements", "statement"] as const).flatMap((operation) => [
  one("begins with a block", operation, `from_block=${first + 80}`),
  one("begins with the first block after a date", operation, "from_date=2024-06-10T06:30:00Z"),
  one("refuses a range that ends before it begins", operation, `from_block=${first + 9}&to_block=${first + 8}`),
  one("is of one block", operation, `from_block=${first + 9}&to_block=${first + 9}`),
  one("is of one instant", operation, "from_date=1718000112&to_date=1718000112"),
  one("is between two dates", operation, "from_date=2024-06-10T06:15:00Z&to_date=2024-06-10T06:30:00Z"),
  one("begins with a block and ends with a date", operation, `from_block=${first + 9}&to_date=2024-06-10T06:20:30Z`),
  one("begins with a date and ends with a block", operation, `from_date=2024-06-10T06:20:30Z&to_block=${first + 80}`),
  one("refuses a date of its begin that is none", operation, "from_date=sometime"),
  one("begins with a date after the last block", operation, "from_date=2030-01-01"),
  one("refuses a range of dates that ends before it begins", operation, "from_date=2024-06-11&to_date=2024-06-10"),
  one("begins after the last block", operation, `from_block=${first + 5_000}`),
])

/** Parameters that all operations decode in the same way. */
const parameters = [
  one("reads a date in milliseconds", "verbose", "to_date=1718000430000"),
  one("reads a date of another zone", "verbose", "to_date=2024-06-10T08:20:30%2B02:00"),
  one("reads a date of another zone whose plus became a space", "verbose", "to_date=2024-06-10 08:20:30 02:00"),
  one("reads a date without a time", "verbose", "to_date=2024-06-11"),
  one("reads a date without dashes", "verbose", "to_date=20240610T062030Z"),
  one("reads a day of a week", "verbose", "from_date=2024-W24-1&to_date=2024W241T062030"),
  one("reads a week", "verbose", "to_date=2024-W25"),
  one("reads a day of a year", "verbose", "from_date=2024162&to_date=2024-162T06:20:30,5"),
  one("reads a month without a dash", "verbose", "to_date=202407"),
  one("reads the end of a day", "verbose", "to_date=2024-06-10T24:00"),
  one("refuses a week that its year does not have", "verbose", "to_date=2024-W53-1"),
  one("refuses a day that its year does not have", "verbose", "to_date=2023-366"),
  one("refuses a day that its month does not have", "verbose", "to_date=2024-02-30"),
  one("refuses an hour that no day has", "verbose", "to_date=2024-06-10T25:00"),
  one("refuses a week with a time", "verbose", "to_date=2024-W24T06:20"),
  one("reads a date that begins with its year", "verbose", "from_date=2024/6/9&to_date=2024-6-10 06:20:30"),
  one("refuses a day that its month does not have, after slashes", "verbose", "to_date=2024/02/30"),
  one("reads a date of the C library", "verbose", "to_date=Mon Jun 10 06:20:30 2024"),
  one("reads a date of RFC 2822 with a zone", "verbose", "to_date=Mon, 10 Jun 2024 06:20:30 GMT"),
  one("refuses an empty chain", "verbose", "chain="),
  one("refuses the identifier of a chain that is not served", "verbose", "chain=0x89"),
  one("refuses an identifier that no chain has", "verbose", "chain=0x3b9aca07"),
]

const lists = [
  walked("pages of 7, newest first", "verbose", "limit=7"),
  walked("pages of 7, oldest first", "verbose", "limit=7&order=ASC"),
  walked("pages of all transactions with the wallet", "verbose", "limit=20&scope=all"),
  walked("internal transactions", "verbose", "limit=50&include=internal_transactions"),
  walked("pages of 9, newest first", "movements", "limit=9"),
  walked("pages of 9, oldest first", "movements", "limit=9&order=ASC"),
  walked("pages of one", "movements", `limit=1&to_block=${first + 20}`),
  walked("of kinds", "movements", "limit=9&kind=fee,internal,withdrawal"),
  walked("of an asset", "movements", `limit=9&asset=${usdc}`),
  walked("of a direction", "movements", "limit=9&direction=in"),
  walked("of the other direction", "movements", "limit=9&direction=out"),
  walked("of two selections", "movements", `limit=4&kind=fee,erc20&asset=native`),
  one("of a wallet without any", "user_operations", "role=paymaster"),
  one("refuses a role that is none", "user_operations", "role=factory"),
  withCursor("refuses the cursor of another operation", "movements", "user_operations", ""),
  one("refuses a kind that is none", "movements", "kind=ERC20"),
  one("refuses an asset that is none", "movements", "asset=USDC"),
  one("refuses a direction that is none", "movements", "direction=up"),
  withCursor("refuses the cursor of another operation", "verbose", "movements", ""),
  withCursor("refuses the cursor of another operation", "movements", "verbose", ""),
  withCursor("refuses a cursor of another order", "verbose", "verbose", "&order=DESC"),
  withCursor("refuses a cursor of another range", "verbose", "verbose", `&to_block=${first + 7}`),
  withCursor("refuses a cursor of another start", "verbose", "verbose", `&from_block=${first + 7}`),
  withCursor("refuses a cursor of another range of dates", "movements", "movements", "&to_date=2024-06-10"),
  {
    title: "movements: keeps range and selection of a cursor that is sent alone",
    run: async (subject: Subject) => {
      const query = `limit=2&kind=fee&from_block=${first + 3}&to_block=${first + 60}`
      const page = await subject.get(path(subject, "movements", query))
      return subject.get(path(subject, "movements", `cursor=${encodeURIComponent(page.body.cursor)}`))
    },
  },
  {
    title: "movements: refuses a cursor of another value of a selection, and of another wallet",
    run: async (subject: Subject) => {
      const page = await subject.get(path(subject, "movements", "limit=2&kind=fee"))
      const query = `cursor=${encodeURIComponent(page.body.cursor)}`
      const wallet = otherWallet(subject)
      return [
        await subject.get(path(subject, "movements", `${query}&kind=value`)),
        await subject.get(path(subject, "movements", query, wallet)),
      ]
    },
  },
  withCursor("refuses a cursor of another scope", "verbose", "verbose", "&scope=all"),
  withCursor("refuses a cursor of another selection", "movements", "movements", "&kind=fee"),
  withCursor("keeps order and range of a cursor that is sent alone", "movements", "movements", ""),
  withCursor("accepts another limit with a cursor", "verbose", "verbose", "&limit=5"),
]

const changes = (["verbose", "movements"] as const).flatMap((operation) => [
  changing("ends a list at the newest block of its first page", operation, "limit=20&order=ASC", (subject) =>
    subject.mine(12),
  ),
  changing("continues a list, newest first, when blocks are added", operation, "limit=20", (subject) =>
    subject.mine(12),
  ),
  changing("refuses a cursor whose top block was reorged", operation, "limit=20", (subject) => subject.reorg(1)),
  changing("refuses a cursor whose top block was reorged, oldest first", operation, "limit=20&order=ASC", (subject) =>
    subject.reorg(3),
  ),
  changing("refuses a cursor whose last row was reorged", operation, "limit=20", (subject) => subject.reorg(30)),
  changing("keeps a cursor of a list that ends below a reorg", operation, `limit=9&to_block=${first + 60}`, (subject) =>
    subject.reorg(20),
  ),
  {
    title: `${operation}: names the lowest of two reorgs`,
    run: (subject: Subject) =>
      walk(subject, operation, "limit=20", async () => {
        await subject.reorg(20)
        await subject.reorg(4)
      }),
  },
])

const sums = [
  one("what a wallet holds, without what it held before", "balances"),
  one("of assets", "balances", `asset=native,${usdc}`),
  one("of an asset that never moved", "balances", `asset=${nowhere}`),
  one("what moved, without what was held before", "statement"),
  one("of a range", "statement", `from_block=${first + 30}&to_block=${first + 70}`),
  one("of assets", "statement", `from_block=${first + 30}&asset=${usdc}`),
  ...(["balances", "statement", "movements", "verbose"] as const).flatMap((operation) => [
    {
      title: `${operation}: with what was held before and a proof, after a comparison with the node`,
      run: async (subject: Subject) => {
        await subject.reconcile()
        return subject.get(path(subject, operation, `limit=100&order=ASC`.repeat(Number(/mov|verb/.test(operation)))))
      },
    },
    {
      title: `${operation}: keeps a proof when blocks are added, and loses it when its block is reorged`,
      run: async (subject: Subject) => {
        await subject.reconcile()
        await subject.mine(5)
        const later = await subject.get(path(subject, operation))
        await subject.reorg(9)
        return [later, await subject.get(path(subject, operation))]
      },
    },
  ]),
  {
    title: "movements, statement: of a range after the first block, without opening balances",
    run: async (subject: Subject) => {
      await subject.reconcile()
      const query = `from_block=${first + 5}`
      const movements = await subject.get(path(subject, "movements", `${query}&limit=5&order=ASC`))
      return [movements, await subject.get(path(subject, "statement", query))]
    },
  },
  {
    title: "movements: pages of 3 with opening balances, in both orders",
    run: async (subject: Subject) => {
      await subject.reconcile()
      const query = `limit=3&to_block=${first + 12}`
      return [await walk(subject, "movements", query), await walk(subject, "movements", `${query}&order=ASC`)]
    },
  },
]

/** Reads a stream, then again from the last position after each change of the chain. */
const listening = (
  title: string,
  query: string,
  ...steps: ReadonlyArray<(subject: Subject) => Promise<void>>
): Behaviour => ({
  title: `events: ${title}`,
  run: async (subject) => {
    const all = [await subject.listen(path(subject, "events", query))]
    for (const step of steps) {
      await step(subject)
      all.push(await subject.listen(path(subject, "events", query), all.at(-1)?.at(-1).data.cursor))
    }
    return all
  },
})

const cursorOf = async (subject: Subject, query: string): Promise<string> =>
  (await subject.listen(path(subject, "events", query))).at(-1).data.cursor

const events: ReadonlyArray<Behaviour> = [
  listening("rows from a block, and those of later blocks", `from=${first + 100}`, (subject) => subject.mine(8)),
  listening("only how far everything was sent, from now on", "", (subject) => subject.mine(30)),
  listening("rows from a date", "from=2024-06-10T06:35:00Z"),
  listening("a gap below the first block", `from=${first - 7}&types=wallet.transaction`),
  listening("of one type", `from=${first + 80}&types=wallet.movement`),
  listening("of an asset", `from=${first + 40}&types=wallet.movement&asset=${usdc}`),
  listening("of kinds", `from=${first + 40}&types=wallet.movement&kind=fee,erc721`),
  listening("only of final blocks", `from=${first + 40}&finality=final`, (subject) => subject.mine(30)),
  listening("only of final blocks, from now on", "finality=final", (subject) => subject.mine(70)),
  listening(
    "voids of a reorg, highest first, then their replacements",
    `from=${first + 90}`,
    (subject) => subject.reorg(20),
    (subject) => subject.mine(2),
  ),
  listening("no void of blocks below the start of the stream", `from=${first + 110}`, (subject) => subject.reorg(30)),
  listening("no void of blocks without rows", "", (subject) => subject.reorg(20)),
  listening("two reorgs, one below the other", `from=${first + 60}`, async (subject) => {
    await subject.reorg(6)
    await subject.reorg(25)
  }),
  one("refuses a type that is none", "events", "types=wallet.balance"),
  one("refuses a finality that is none", "events", "finality=soon"),
  one("refuses a begin that is none", "events", "from=sometime"),
  one("refuses an unknown parameter", "events", "to_block=5"),
  {
    title: "events: refuses the cursor of another selection, and of another wallet",
    run: async (subject) => {
      const cursor = await cursorOf(subject, `from=${first + 100}`)
      return [
        await subject.get(path(subject, "events", `types=wallet.movement&from=${cursor}`)),
        await subject.get(path(subject, "events", "types=wallet.movement"), { "last-event-id": cursor }),
        await subject.get(path(subject, "events"), { "last-event-id": "none" }),
      ]
    },
  },
  {
    title: "events: continue from a cursor as a parameter",
    run: async (subject) => {
      const cursor = await cursorOf(subject, `from=${first + 100}`)
      await subject.mine(9)
      return subject.listen(path(subject, "events", `from=${encodeURIComponent(cursor)}`))
    },
  },
]

/** Waits between two requests for a comparison, which continues meanwhile. */
const pause = () => new Promise((resolve) => setTimeout(resolve, 10))

/** Requests a comparison until it is complete. */
const prove = async (subject: Subject, query: string): Promise<ReadonlyArray<Response>> => {
  const begun = await subject.get(path(subject, "proof", query), {}, "PUT")
  const block = begun.body.block_number
  for (let last = begun; ;) {
    if (last.status !== 200 || last.body.proof !== null) return [begun, last]
    await pause()
    last = await subject.get(path(subject, "proof", `to_block=${block}`), {}, "PUT")
  }
}

const proofs: ReadonlyArray<Behaviour> = [
  {
    title: "proof: compares a wallet at the last final block, and is part of its statement and balances",
    run: async (subject) => [
      await prove(subject, ""),
      await subject.get(path(subject, "statement", `to_block=${first + 50}`)),
      await subject.get(path(subject, "balances")),
    ],
  },
  {
    title: "proof: returns a known one at once, even for an earlier block, and makes another when blocks become final",
    run: async (subject) => {
      await prove(subject, "")
      const known = [await prove(subject, ""), await prove(subject, `to_block=${first + 9}`)]
      await subject.mine(5)
      return [known, await prove(subject, "")]
    },
  },
  {
    title: "proof: returns a later one that was made in the meantime, even if it is requested again",
    run: async (subject) => {
      await prove(subject, "")
      await subject.reconcile()
      return [await prove(subject, ""), await prove(subject, "")]
    },
  },
  {
    title: "proof: refuses a block that is not final, and another method",
    run: async (subject) => [
      await subject.get(path(subject, "proof", `to_block=${first + 119}`), {}, "PUT"),
      await subject.get(path(subject, "proof", "to_date=2024-06-10"), {}, "PUT"),
      (await subject.get(path(subject, "proof"))).status,
    ],
  },
]

const final = async (subject: Subject): Promise<void> => {
  await subject.reconcile()
  await subject.mine(70)
}

const signed: ReadonlyArray<Behaviour> = [
  one("refuses what it cannot state: what was held before is not known", "statement/signed", ""),
  one("refuses a block that is not final", "statement/signed", `to_block=${first + 119}`),
  one("refuses an unknown parameter", "statement/signed", "asset=native"),
  one("begins after the last block", "statement/signed", `from_block=${first + 5_000}`),
  {
    title: "statement/signed: of a comparison, with the counts of sent transactions and what the state root covers",
    run: async (subject) => {
      await final(subject)
      return subject.get(path(subject, "statement/signed"))
    },
  },
  {
    title: "statement/signed: of a range whose last block was not compared",
    run: async (subject) => {
      await final(subject)
      return [
        await subject.get(path(subject, "statement/signed", `from_block=${first + 20}&to_block=${first + 60}`)),
        await subject.get(path(subject, "statement/signed", "to_date=2024-06-10T06:20:30Z")),
      ]
    },
  },
]

const others: ReadonlyArray<Behaviour> = [
  {
    title: "movements, balances: of another account of the chain",
    run: async (subject) => {
      const other = otherWallet(subject)
      return [
        await subject.get(path(subject, "movements", "", other)),
        await subject.get(path(subject, "balances", "", other)),
        await subject.get(path(subject, "verbose", "scope=all", other)),
      ]
    },
  },
  {
    title: "responses: 304 for a tag that the client has, 200 after a new block",
    run: async (subject) => {
      const statuses: Array<number> = []
      for (const operation of ["verbose", "movements", "balances"]) {
        const page = await subject.get(path(subject, operation))
        const tag = { "if-none-match": page.headers["etag"] ?? "" }
        statuses.push((await subject.get(path(subject, operation), tag)).status)
        await subject.mine(3)
        statuses.push((await subject.get(path(subject, operation), tag)).status)
      }
      return statuses
    },
  },
  {
    title: "key: refuses a request without one, and with an unknown one",
    run: async (subject) => [
      await subject.get(path(subject, "verbose"), { "x-api-key": "" }),
      await subject.get(path(subject, "verbose"), { "x-api-key": "another-key" }),
    ],
  },
  one("refuses a path in capitals of an address of another length", "verbose", "", `0x${"AB".repeat(21)}`),
  one("takes an address in capitals", "verbose", "limit=2", "0xD8DA6BF26964AF9D7EED9E03E53415D37AA96045"),
]

export const behaviours: ReadonlyArray<Behaviour> = [
  ...refused,
  ...firstPages,
  ...ranges,
  ...fromRanges,
  ...parameters,
  ...lists,
  ...changes,
  ...sums,
  ...events,
  ...proofs,
  ...signed,
  ...others,
]
