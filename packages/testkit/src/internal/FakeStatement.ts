/**
 * Signed statement of a fake service: the file that `daybook verify-statement` reads, signed by a key of the fake that no operator uses.
 */
import * as RestOperation from "@daybook/schema/RestOperation"
import * as SignedStatement from "@daybook/schema/SignedStatement"
import * as Result from "effect/Result"
import type { FakeBlock } from "../FakeChain.ts"
import * as FakeLedger from "./FakeLedger.ts"
import { failure, invalid, type Reply } from "./FakeReply.ts"
import * as FakeRequest from "./FakeRequest.ts"

type Wire = SignedStatement.SignedStatementWire
type WalletWire = Wire["statements"][number]
type Standard = WalletWire["opening"][number]["standard"]

/** Prefix of an Ed25519 key in PKCS 8, followed by its 32 bytes. */
const keyHead = [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20]

const key = Uint8Array.from([...keyHead, ...Array.from({ length: 32 }, () => 7)])

const hexOf = (bytes: ArrayBuffer): string =>
  `0x${Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("")}`

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

const sha256 = async (text: string): Promise<string> => hexOf(await crypto.subtle.digest("SHA-256", bytesOf(text)))

const sign = async (text: string): Promise<Wire["signature"]> => {
  const privateKey = await crypto.subtle.importKey("pkcs8", key, "Ed25519", true, ["sign"])
  const { x = "" } = await crypto.subtle.exportKey("jwk", privateKey)
  const publicKey = Uint8Array.from(atob(x.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0))
  const value = hexOf(await crypto.subtle.sign("Ed25519", privateKey, bytesOf(text)))
  return { algorithm: "ed25519", public_key: hexOf(publicKey.buffer), value }
}

const standardOf = (kind: FakeLedger.Movement["kind"], asset: string): Standard => {
  if (asset === "native") return "native"
  return kind === "erc721" || kind === "erc1155" ? kind : "erc20"
}

/** A holding, with the movements of a range by kind. */
interface Account {
  readonly held: Pick<WalletWire["opening"][number], "asset" | "standard" | "token_id">
  readonly sums: Map<FakeLedger.Movement["kind"], { count: number; in: bigint; out: bigint }>
  opening: bigint
  change: bigint
}

/** Accounts of a wallet: the balance before a block, and the movements from it up to another block. */
const accountsOf = (
  before: ReadonlyArray<FakeLedger.Movement>,
  moved: ReadonlyArray<FakeLedger.Movement>,
): ReadonlyArray<Account> => {
  const accounts = new Map<string, Account>()
  const accountOf = ({ asset, kind, tokenId }: FakeLedger.Movement): Account => {
    const standard = standardOf(kind, asset)
    const held = { asset, standard, token_id: standard === "erc1155" ? String(tokenId) : null }
    const id = `${asset} ${held.token_id ?? ""}`
    const account = accounts.get(id) ?? { held, sums: new Map(), opening: 0n, change: 0n }
    accounts.set(id, account)
    return account
  }
  for (const movement of before) accountOf(movement).opening += movement.amount
  for (const movement of moved) {
    const account = accountOf(movement)
    const sum = account.sums.get(movement.kind) ?? { count: 0, in: 0n, out: 0n }
    account.sums.set(movement.kind, sum)
    sum.count += 1
    if (movement.amount > 0n) sum.in += movement.amount
    else sum.out += movement.amount
    account.change += movement.amount
  }
  return [...accounts.values()]
}

const balanceOf = ({ held }: Account, balance: bigint): WalletWire["opening"] =>
  balance !== 0n || held.asset === "native" ? [{ ...held, balance: String(balance) }] : []

const sentences = [
  "Movements are those in the index: where parts of transactions are unknown, movements that its nodes did not trace are missing.",
  "Tokens that change balances without events are compared only if the statement is proved.",
] as const
const notCompared = "The index has not compared the balances of this closing block with the state of the chain."

/** A line of the digest of movements. */
const lineOf = ({ block, transaction }: FakeLedger.Entry, movement: FakeLedger.Movement): string => {
  const { amount, asset, counterparty, isFailed, kind, logIndex, tokenId } = movement
  const [index, id] = [transaction?.index ?? null, tokenId === null ? null : String(tokenId)]
  return `${JSON.stringify([block.number, index, logIndex, kind, asset, id, String(amount), counterparty, isFailed])}\n`
}

/** The wallet's part of the statement. `blocks` are all blocks up to the closing one. */
const partOf = async (
  { chain }: FakeRequest.FakeIndex,
  wallet: string,
  { from, isProved, last }: { readonly from: number; readonly isProved: boolean; readonly last: FakeBlock },
): Promise<WalletWire> => {
  const entries = FakeLedger.entries(
    chain.blocks().filter(({ number }) => number <= last.number),
    wallet,
  )
  const [earlier, own] = [
    entries.filter(({ block }) => block.number < from),
    entries.filter(({ block }) => block.number >= from),
  ]
  const movementsOf = (all: ReadonlyArray<FakeLedger.Entry>) => all.flatMap(({ movements }) => movements)
  const sentIn = (all: ReadonlyArray<FakeLedger.Entry>) => all.filter(({ roles }) => roles.includes("sender")).length
  const accounts = accountsOf([...FakeLedger.openings, ...movementsOf(earlier)], movementsOf(own))
  const lines = own.flatMap((entry) => entry.movements.map((movement) => lineOf(entry, movement)))
  return {
    address: wallet,
    opening: accounts.flatMap((account) => balanceOf(account, account.opening)),
    sums: accounts.flatMap(({ held, sums }) =>
      [...sums].map(([kind, { count, in: received, out }]) => ({
        ...held,
        kind,
        count: String(count),
        in: String(received),
        out: String(out),
      })),
    ),
    closing: accounts.flatMap((account) => balanceOf(account, account.opening + account.change)),
    sent_transactions: isProved ? { opening: String(sentIn(earlier)), closing: String(sentIn(entries)) } : null,
    proved: isProved,
    by_state_root: isProved ? FakeRequest.byStateRoot : [],
    differences: [],
    not_covered: isProved ? sentences : [...sentences, notCompared],
    rows: { count: String(lines.length), sha256: await sha256(lines.join("")) },
  }
}

/** Writes and signs the file. */
const write = async (index: FakeRequest.FakeIndex, wallet: string, from: number, last: FakeBlock): Promise<string> => {
  const proof = FakeRequest.proofOf(index, wallet)
  const part = await partOf(index, wallet, { from, last, isProved: proof?.block.number === last.number })
  const blocks = index.chain.blocks()
  // Sound: a chain has at least one block.
  const first = blocks[0]!
  const opening = blocks.find(({ number }) => number === Math.max(0, from - 1))
  const header: Wire["header"] = {
    format: "daybook-statement-1",
    made_by: "@daybook/testkit",
    made_at: new Date(last.timestamp * 1_000).toISOString(),
    ledger_revision: "8",
    source: "index",
    chain_id: String(index.chainId),
    from_block: String(from),
    opening_block: { number: String(opening?.number ?? first.number - 1), hash: opening?.hash ?? first.parentHash },
    closing_block: { number: String(last.number), hash: last.hash },
    wallets: [{ address: wallet, sha256: await sha256(SignedStatement.canonicalJson(part)) }],
  }
  const signature = await sign(SignedStatement.canonicalJson(header))
  return `${SignedStatement.canonicalJson({ header, statements: [part], signature })}\n`
}

/** Asset whose opening balance is not known; undefined for none. */
const unknownOpening = ({ chain, opened }: FakeRequest.FakeIndex, wallet: string, last: number): string | undefined => {
  const known = opened.get(wallet)
  const blocks = chain.blocks().filter(({ number }) => number <= last)
  const held = [
    "native",
    ...FakeLedger.entries(blocks, wallet).flatMap(({ movements }) => movements.map(FakeLedger.holdingOf)),
  ]
  return held.find((holding) => known?.has(holding) !== true)?.split(" ")[0]
}

/** The signed statement of a wallet over final blocks. */
export const signedStatement = (
  index: FakeRequest.FakeIndex,
  address: string,
  parameters: URLSearchParams,
): Reply | Promise<Reply> => {
  const request = FakeRequest.read(index, RestOperation.signedStatement, address, parameters)
  if (Result.isFailure(request)) return request.failure
  const { range, wallet } = request.success
  const refused = FakeRequest.notIndexed(index, wallet)
  if (refused !== undefined) return refused
  const found = FakeRequest.blocksOf(index.chain, range)
  if (found === undefined) return FakeRequest.withoutBlocks(index, range)
  const final = FakeRequest.finalized(index.chain)
  const compared = FakeRequest.proofOf(index, wallet)?.block.number
  const open = compared !== undefined && compared <= final ? compared : final
  const number = range.to._tag === "Open" ? open : found.last.number
  if (found.first.number > number) return FakeRequest.withoutBlocks(index, range)
  if (number > final) {
    return invalid({ path: "to_block", expected: `a final block, up to ${final}`, received: String(number) })
  }
  const unknown = unknownOpening(index, wallet, number)
  if (unknown !== undefined) {
    const message = `Opening balance not known yet: ${unknown}. The service reads it in the background, or "daybook reconcile" does. Retry later.`
    return failure(503, "unavailable", message, {}, { "retry-after": "1" })
  }
  // Sound: the block was found.
  const last = index.chain.blocks().find((block) => block.number === number)!
  const headers = FakeRequest.coverage(index, wallet)
  return write(index, wallet, found.first.number, last).then((text) => ({ status: 200, headers, body: null, text }))
}
