/** An amount of an asset: the currency of the chain, or a token. */
import { Amount, Count, Ether } from "../display/Values.tsx"
import { checksummed, shortened } from "../display/AddressText.ts"
import { Link } from "../navigation/Navigation.tsx"
import * as Paths from "../navigation/Paths.ts"
import { useToken } from "./useToken.ts"
import { ForeignText } from "../text/ForeignText.tsx"

interface TokenAmountProps {
  /** `native`, or the address of a token. */
  readonly asset: string
  readonly amount: bigint
  readonly tokenId?: bigint | null | undefined
  /** Token description from the service; `null` if it has none. */
  readonly token?: { readonly symbol: string | null; readonly decimals: number | null } | null | undefined
  readonly signed?: boolean
}

/** The name of a token, linked to its contract. */
export const TokenLink = ({ address, symbol }: { readonly address: string; readonly symbol: string | undefined }) => (
  <Link className="address" to={Paths.address(address)} title={checksummed(address)} data-address={address}>
    {symbol === undefined ? (
      <code className="hash">{shortened(address)}</code>
    ) : (
      <ForeignText className="symbol" text={symbol} />
    )}
  </Link>
)

type Described = Omit<TokenAmountProps, "token"> & {
  readonly symbol: string | undefined
  readonly decimals: number | undefined
}

const DescribedAmount = ({ amount, asset, decimals, signed = false, symbol, tokenId }: Described) => (
  <span className="token-amount">
    <Amount
      amount={amount}
      decimals={tokenId === null || tokenId === undefined ? (decimals ?? 0) : 0}
      signed={signed}
    />{" "}
    <TokenLink address={asset} symbol={symbol} />
    {tokenId === null || tokenId === undefined ? (
      decimals === undefined ? (
        <span
          className="muted"
          title="The contract does not state its decimals, or could not be read: the amount is in the smallest unit."
        >
          {" "}
          units
        </span>
      ) : null
    ) : (
      <span className="token-id">
        {" "}
        #<Count value={tokenId} />
      </span>
    )}
  </span>
)

/** Reads decimals and symbol from the contract. */
const ReadAmount = (props: Omit<TokenAmountProps, "token">) => {
  const read = useToken(props.asset)
  // An amount without its decimals would be misread.
  if (read === undefined && (props.tokenId === null || props.tokenId === undefined)) {
    return (
      <span className="token-amount">
        … <TokenLink address={props.asset} symbol={undefined} />
      </span>
    )
  }
  return <DescribedAmount {...props} symbol={read?.symbol} decimals={read?.decimals} />
}

export const TokenAmount = ({ token, ...rest }: TokenAmountProps) => {
  if (rest.asset === "native") {
    const { amount, signed = false } = rest
    return <Ether amount={amount} signed={signed} />
  }
  if (token === null || token === undefined) return <ReadAmount {...rest} />
  return <DescribedAmount {...rest} symbol={token.symbol ?? undefined} decimals={token.decimals ?? undefined} />
}
