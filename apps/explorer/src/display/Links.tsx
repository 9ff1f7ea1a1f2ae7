/** Links to the pages of addresses, transactions and blocks on the selected chain. */
import { useLabel } from "../names/useNames.ts"
import { Link } from "../navigation/Navigation.tsx"
import * as Paths from "../navigation/Paths.ts"
import { useWatchLabel } from "../watch/WatchList.ts"
import { checksummed, shortened } from "./AddressText.ts"
import { formatInteger, shorten } from "./Numbers.ts"
import { CopyButton } from "./Values.tsx"
import { ForeignText } from "../text/ForeignText.tsx"

interface AddressLinkProps {
  readonly address: string
  /** Label of the service, `null` for none; if omitted, it is requested from the service. The user's own label has precedence. */
  readonly label?: string | null | undefined
  /** Renders text instead of a link, because the page of this address is open. */
  readonly isCurrent?: boolean
  readonly withCopy?: boolean
  /** Shows the whole address next to its label. */
  readonly isFull?: boolean
}

const hasText = (text: string | null | undefined): text is string => text !== null && text !== undefined && text !== ""

type NamedLinkProps = Omit<AddressLinkProps, "label"> & { readonly name: string | undefined }

const NamedLink = ({ address, isCurrent = false, isFull = false, name, withCopy = false }: NamedLinkProps) => {
  const whole = checksummed(address)
  const text = (
    <>
      {name === undefined ? null : <ForeignText className="label" text={name} />}
      {name === undefined || isFull ? <code className="hash">{isFull ? whole : shortened(address)}</code> : null}
    </>
  )
  return (
    <span className="copyable">
      {isCurrent ? (
        <span className="address" data-address={address} title={whole}>
          {text}
        </span>
      ) : (
        <Link className="address" data-address={address} to={Paths.address(address)} title={whole}>
          {text}
        </Link>
      )}
      {withCopy ? <CopyButton text={whole} what="address" /> : null}
    </span>
  )
}

/** Requests the label from the service. */
const ReadLink = (props: Omit<NamedLinkProps, "name">) => <NamedLink {...props} name={useLabel(props.address)} />

/** An address by its label, otherwise shortened. Labels are chosen by others, so they are isolated from the surrounding text. */
export const AddressLink = ({ label, ...rest }: AddressLinkProps) => {
  const own = useWatchLabel(rest.address)
  const name = [own, label].find(hasText)
  return name === undefined && label === undefined ? <ReadLink {...rest} /> : <NamedLink {...rest} name={name} />
}

/** A transaction by its hash. */
export const TransactionLink = ({ hash, isFull = false }: { readonly hash: string; readonly isFull?: boolean }) => (
  <Link to={Paths.transaction(hash)} title={hash}>
    <code className="hash">{isFull ? hash : shorten(hash)}</code>
  </Link>
)

/** A block by its number, or by its hash if the number may belong to another block. */
export const BlockLink = ({ hash, number }: { readonly number: bigint | number; readonly hash?: string }) => (
  <Link to={Paths.block(hash ?? number)}>{formatInteger(number)}</Link>
)
