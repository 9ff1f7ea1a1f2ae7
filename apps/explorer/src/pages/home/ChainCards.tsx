/** The chains of the service with the state of each index. */
import type { ChainStatus } from "@daybook/rest/ExplorerClient"
import { Badge, ErrorNotice, Skeleton } from "../../display/Page.tsx"
import { formatDuration } from "../../display/Times.ts"
import { Count } from "../../display/Values.tsx"
import { Link } from "../../navigation/Navigation.tsx"
import * as Paths from "../../navigation/Paths.ts"
import { useService, useStatuses } from "../../service/Service.tsx"
import { ForeignText } from "../../text/ForeignText.tsx"

const CardFact = ({ name, value }: { readonly name: string; readonly value: number | null }) => (
  <div>
    <dt>{name}</dt>
    <dd>{value === null ? "unknown" : <Count value={value} />}</dd>
  </div>
)

const Card = ({ isSelected, status }: { readonly status: ChainStatus; readonly isSelected: boolean }) => (
  <li className="card" data-selected={isSelected}>
    <div className="card-head">
      <Link to={Paths.home} search={{ chain: status.chain }} {...(isSelected ? { "aria-current": "true" } : {})}>
        {status.chain}
      </Link>
      {status.head === null && status.state === "synced" ? (
        <Badge tone="warning">head unknown</Badge>
      ) : (
        <Badge tone={status.ready ? "good" : status.state === "backfill" ? "warning" : "bad"}>{status.state}</Badge>
      )}
    </div>
    <dl className="card-facts">
      <CardFact name="Head" value={status.head} />
      <CardFact name="Indexed to" value={status.indexed?.to ?? null} />
      <CardFact name="Behind" value={status.lag} />
      <CardFact name="Final to" value={status.finalized} />
    </dl>
    <p className="card-text">
      <ForeignText text={status.message} />
      {status.etaMillis === undefined ? null : ` About ${formatDuration(status.etaMillis)} left.`}
    </p>
  </li>
)

export const ChainCards = () => {
  const { chain } = useService()
  const { data, error, refetch } = useStatuses()
  if (data === undefined) {
    return error === null ? <Skeleton label="chains" rows={3} /> : <ErrorNotice error={error} onRetry={refetch} />
  }
  return (
    <ul className="cards">
      {data.map((status) => (
        <Card key={status.chain} status={status} isSelected={status.chain === chain.name} />
      ))}
    </ul>
  )
}
