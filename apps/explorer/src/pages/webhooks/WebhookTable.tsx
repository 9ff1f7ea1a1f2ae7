/** The table of webhooks with their states. Each row opens a webhook. */
import type { Webhook } from "@daybook/rest/WebhookClient"
import { Badge } from "../../display/Page.tsx"
import { type Column, Table } from "../../display/Table.tsx"
import { Count, Time } from "../../display/Values.tsx"
import { Link } from "../../navigation/Navigation.tsx"
import * as Paths from "../../navigation/Paths.ts"
import { ForeignText } from "../../text/ForeignText.tsx"
import { Outcome } from "./Outcome.tsx"

const tones = { active: "good", failing: "bad", paused: "warning" } as const

/** The state of a webhook. */
export const State = ({ state }: Pick<Webhook, "state">) => <Badge tone={tones[state]}>{state}</Badge>

/** The host of the receiver. The rest of the URL may contain a secret. */
const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)

const columnsOf = (selected: string | undefined): ReadonlyArray<Column<Webhook>> => [
  {
    name: "Name",
    isWide: true,
    cell: ({ id, name }) => (
      <Link
        to={Paths.webhooks}
        search={{ webhook: id }}
        keepsPosition
        {...(id === selected ? { "aria-current": "true" } : {})}
      >
        <ForeignText className="label" text={name} />
      </Link>
    ),
  },
  { name: "State", cell: (webhook) => <State {...webhook} /> },
  { name: "Receiver", isWide: true, cell: ({ url }) => <ForeignText className="value" text={hostOf(url)} /> },
  { name: "Chain", cell: ({ chain }) => <ForeignText text={chain} /> },
  { name: "Wallets", isNumeric: true, cell: ({ address_count }) => <Count value={address_count} /> },
  { name: "Delivered", isNumeric: true, cell: ({ delivered }) => <Count value={delivered} /> },
  {
    name: "Last attempt",
    cell: ({ last }) =>
      last === null ? (
        <span className="muted">none yet</span>
      ) : (
        <>
          <Outcome delivery={last} /> <Time time={last.at} />
        </>
      ),
  },
  {
    name: "Next attempt",
    cell: ({ next_attempt_at: next }) => (next === null ? <span className="muted">–</span> : <Time time={next} />),
  },
]

interface WebhookTableProps {
  readonly webhooks: ReadonlyArray<Webhook>
  /** Id of the open webhook. */
  readonly selected: string | undefined
}

export const WebhookTable = ({ selected, webhooks }: WebhookTableProps) => (
  <Table label="Webhooks" columns={columnsOf(selected)} rows={webhooks} keyOf={({ id }) => id} />
)
