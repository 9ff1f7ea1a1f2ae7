/** What an address is and holds: kind, balance with its proof, nonce, label. */
import { Badge, ErrorNotice, Fact, Facts, Skeleton } from "../../display/Page.tsx"
import { formatInteger } from "../../display/Numbers.ts"
import { AddressLink, TransactionLink } from "../../display/Links.tsx"
import { Amount, Count, Ether, Time } from "../../display/Values.tsx"
import { useLabel } from "../../names/useNames.ts"
import { useRest, useRpc } from "../../service/Service.tsx"
import { readSupply, type TokenDescription } from "../../tokens/useToken.ts"
import { type AddressKind, readKind } from "./AddressKind.ts"
import { type Compared, isProved } from "./Compared.ts"
import { useCompared } from "./useCompared.ts"
import { ForeignText } from "../../text/ForeignText.tsx"

const KindFact = ({ kind }: { readonly kind: AddressKind }) => {
  if (kind._tag === "Account") {
    return (
      <Fact name="Kind">
        <Badge>account</Badge>{" "}
        {kind.delegate === null ? null : (
          <>
            <Badge hint="EIP-7702">delegated</Badge> to <AddressLink address={kind.delegate} />
          </>
        )}
      </Fact>
    )
  }
  return (
    <>
      <Fact name="Kind">
        <Badge>contract</Badge> {kind.proxy === null ? null : <Badge hint={kind.proxy}>proxy</Badge>}{" "}
        {kind.token === null ? null : <Badge>token</Badge>} <Count value={kind.bytes} /> bytes of code
      </Fact>
      {kind.implementation === null ? null : (
        <Fact name="Implementation" hint={`According to ${kind.proxy ?? ""}, at the latest block`}>
          <AddressLink address={kind.implementation} isFull withCopy />
        </Fact>
      )}
      {kind.token === null ? null : (
        <Fact name="Token" hint="As the contract describes itself: anyone can choose any name.">
          <ForeignText text={kind.token.name ?? "unnamed"} />{" "}
          {kind.token.symbol === undefined ? null : <ForeignText className="symbol" text={kind.token.symbol} />}
          {kind.token.decimals === undefined ? null : <span className="muted"> {kind.token.decimals} decimals</span>}
        </Fact>
      )}
    </>
  )
}

/** What an address is, read once for all parts of its page. */
export const useKind = (address: string, enabled = true) =>
  useRpc(["kind", address], (client) => readKind(client, address), { enabled })

/** Result of comparing the balance with the movements: proved, or different. */
const BalanceProof = ({ compared }: { readonly compared: Compared | undefined }) => {
  if (compared === undefined) return null
  const at = formatInteger(compared.block)
  return isProved(compared) ? (
    <Badge tone="good" hint={`The sum of all movements equals the balance on the chain at block ${at}.`}>
      proved at block {at}
    </Badge>
  ) : (
    <Badge tone="bad" hint="The sum of all movements differs from the balance on the chain.">
      differs from the movements
    </Badge>
  )
}

/** Shows both sums if they differ. */
const Difference = ({ compared }: { readonly compared: Compared | undefined }) =>
  compared === undefined || isProved(compared) ? null : (
    <Fact name="Sum of movements" hint="Balance before the first indexed block, plus all movements since">
      <Ether amount={compared.sum} isWhole /> at block {formatInteger(compared.block)}, a difference of{" "}
      <Ether amount={compared.sum - compared.held} isWhole signed /> from the <Ether amount={compared.held} isWhole />{" "}
      on the chain
    </Fact>
  )

/** The total supply: an amount for a fungible token, a count for a collection. */
const Supply = ({ address, token }: { readonly address: string; readonly token: TokenDescription }) => {
  const { data } = useRpc(["supply", address], (client) => readSupply(client, address), { isLive: true })
  if (data === undefined || data === null) return null
  return (
    <Fact name="Total supply" hint="As the contract states it, at the latest block">
      <Amount amount={data} decimals={token.decimals ?? 0} symbol={token.symbol} isWhole />
    </Fact>
  )
}

/** The transaction that created a contract: the first one of its history, if the index reaches back to it. */
const Creation = ({ address }: { readonly address: string }) => {
  const { data } = useRest(["creation", address], async (client, chain, signal) => {
    const page = await client.walletTransactions({ address, chain, scope: "all", order: "ASC", limit: 1 }, { signal })
    return page.result.find(({ roles = [] }) => roles.includes("created")) ?? null
  })
  if (data === undefined || data === null) return null
  return (
    <Fact name="Created" hint="By the first transaction in its history">
      in <TransactionLink hash={data.hash} /> by <AddressLink address={data.from_address} />,{" "}
      <Time time={data.block_timestamp} />
    </Fact>
  )
}

interface AddressFactsProps {
  readonly address: string
  /** The name in the heading of the page. */
  readonly heading: string | undefined
}

export const AddressFacts = ({ address, heading }: AddressFactsProps) => {
  const label = useLabel(address)
  const kind = useKind(address)
  const compared = useCompared(address, "native")?.get("native")
  const state = useRpc(
    ["state", address],
    async (client) => {
      const [balance, nonce] = await Promise.all([
        client.eth_getBalance(address, "latest"),
        client.eth_getTransactionCount(address, "latest"),
      ])
      return { balance, nonce }
    },
    { isLive: true },
  )
  if (state.data === undefined && state.error !== null)
    return <ErrorNotice error={state.error} onRetry={state.refetch} />
  if (state.data === undefined) return <Skeleton label="the address" rows={4} />
  return (
    <Facts areShort>
      {label === undefined || label === heading ? null : (
        <Fact name="Label" hint="From the service">
          <ForeignText text={label} />
        </Fact>
      )}
      {kind.data === undefined ? null : <KindFact kind={kind.data} />}
      {kind.data?._tag !== "Contract" ? null : (
        <>
          {kind.data.token === null ? null : <Supply address={address} token={kind.data.token} />}
          <Creation address={address} />
        </>
      )}
      <Fact name="Balance" hint="From the node, at its latest block">
        <Ether amount={state.data.balance} isWhole /> <BalanceProof compared={compared} />
      </Fact>
      <Difference compared={compared} />
      <Fact name="Nonce" hint="Transactions that this address sent">
        <Count value={state.data.nonce} />
      </Fact>
    </Facts>
  )
}
