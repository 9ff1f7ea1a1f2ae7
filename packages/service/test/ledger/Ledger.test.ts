import { describe, expect, it } from "@effect/vitest"
import * as UserOperation from "@daybook/schema/UserOperation"
import * as AbiEvent from "ox/AbiEvent"
import * as OxAuthorization from "ox/Authorization"
import * as Secp256k1 from "ox/Secp256k1"
import * as Authorities from "../../src/ledger/Authorities.ts"
import * as Ledger from "../../src/ledger/Ledger.ts"
import * as LedgerRules from "../../src/ledger/LedgerRules.ts"
import type { SourceTransaction } from "../../src/ledger/LedgerSource.ts"
import * as Movement from "../../src/ledger/Movement.ts"
import * as RowId from "../../src/store/rows/RowId.ts"
import {
  account,
  alice,
  bob,
  carol,
  data,
  ethereum,
  facts,
  frame,
  log,
  markedIn,
  miner,
  movementsOf,
  rowsOf,
  source,
  topic,
  transaction,
  transferLog,
  word,
  zero,
} from "./sources.ts"

const of = (...transactions: ReadonlyArray<Partial<SourceTransaction>>) =>
  source({ transactions: transactions.map((more) => transaction(more)) })

const optimism = LedgerRules.fromChainId(10)
const deposit = { facts: { index: 0, type: 0x7e, mint: 500n }, gasPrice: 0n }

describe("Ledger", () => {
  it("derive: returns the fee, the value and the reward of a transfer, with the row of the block last", () => {
    expect(rowsOf(of({ value: 5n }))).toEqual([
      { index: 0, wallet: alice, roles: ["sender"], isIncomplete: false, movements: ["fee -210000", "value -5"] },
      { index: 0, wallet: bob, roles: ["recipient"], isIncomplete: false, movements: ["value 5"] },
      {
        index: Movement.blockLevelIndex,
        wallet: miner,
        roles: ["fee_recipient"],
        isIncomplete: false,
        movements: ["reward 63000"],
      },
    ])
    expect(Movement.blockLevelIndex).toBe(RowId.perBlock - 1)
  })

  it("derive: charges the fee and moves no value if the transaction failed", () => {
    const block = of({ value: 5n, status: 0, frames: [frame(bob, carol, 3n, { isFailed: true })] })

    expect(movementsOf(alice, block)).toEqual(["fee -210000"])
    expect(movementsOf(bob, block)).toEqual([])
    expect(rowsOf(block).find(({ wallet }) => wallet === carol)).toMatchObject({
      roles: ["internal_callee"],
      movements: [],
    })
  })

  it("derive: counts a transfer to oneself in both directions", () => {
    expect(movementsOf(alice, of({ to: alice, value: 5n }))).toEqual(["fee -210000", "value -5", "value 5"])
  })

  it("derive: moves the value of a creation to the created contract", () => {
    const block = of({ to: null, created: carol, value: 5n })

    expect(movementsOf(carol, block)).toEqual(["value 5"])
    expect(movementsOf(carol, of({ to: null, created: carol, value: 5n, status: 0 }))).toEqual([])
    expect(markedIn(of({ to: null, value: 5n }))).toEqual([alice])
  })

  it("derive: moves value for calls, creations and self-destructs, but not for other or failed frames", () => {
    const frames = [
      frame(bob, carol, 1n),
      frame(bob, alice, 2n, { type: "CALLCODE" }),
      frame(bob, alice, 4n, { type: "DELEGATECALL" }),
      frame(bob, account("e"), 8n, { type: "CREATE2" }),
      frame(bob, null, 16n, { type: "CREATE", isFailed: true }),
      frame(carol, bob, 32n, { type: "SELFDESTRUCT" }),
      frame(bob, carol, 64n, { isFailed: true }),
    ]

    expect(movementsOf(bob, of({ frames }))).toEqual(["internal -1", "internal -8", "internal 32"])
    expect(rowsOf(of({ frames })).find(({ wallet }) => wallet === account("e"))).toMatchObject({ roles: ["created"] })
  })

  it("derive: burns the balance of a contract that is created and destroyed in one transaction", () => {
    const [vault, heir] = [account("e"), account("f")]
    const made = frame(bob, vault, 8n, { type: "CREATE" })
    const toItself = of({ frames: [made, frame(vault, vault, 8n, { type: "SELFDESTRUCT" })] })
    const afterwards = of({
      frames: [made, frame(vault, heir, 8n, { type: "SELFDESTRUCT" }), frame(bob, vault, 3n)],
    })
    const older = of({ frames: [frame(vault, vault, 8n, { type: "SELFDESTRUCT" })] })

    expect(movementsOf(vault, toItself)).toEqual(["internal 8", "internal -8"])
    expect(movementsOf(vault, afterwards)).toEqual(["internal 8", "internal -8", "internal 3", "internal -3"])
    expect(markedIn(older)).toEqual([vault])
  })

  it("derive: marks the rows of a transaction without traces or facts", () => {
    expect(markedIn(of({ value: 5n, frames: null }))).toEqual([alice, bob])
    expect(movementsOf(bob, of({ value: 5n, frames: null }))).toEqual(["value 5"])
    expect(markedIn(of({ facts: null }))).toEqual([alice, bob])
    expect(rowsOf(source({ facts: null })).map(({ wallet }) => wallet)).toEqual([alice, bob])
  })

  it("derive: uses logs of ether transfers instead of traces, and compares them with traces", () => {
    const logged = (amount: bigint) => transferLog(bob, carol, amount, { address: `0x${"f".repeat(39)}e` })
    const untraced = of({ frames: null, logs: [logged(3n)] }, { index: 1, frames: null })

    expect(movementsOf(carol, untraced)).toEqual(["ether_log 3"])
    expect(markedIn(untraced)).toEqual([])
    expect(movementsOf(carol, of({ frames: [frame(bob, carol, 3n)], logs: [logged(3n)] }))).toEqual(["internal 3"])
    expect(markedIn(of({ frames: [frame(bob, carol, 3n)], logs: [logged(3n)] }))).toEqual([])
    expect(markedIn(of({ frames: [frame(bob, carol, 2n)], logs: [logged(3n)] }))).toEqual([alice, bob, carol])
  })

  it("derive: marks a transaction before Byzantium that used all its gas, unless it is a plain transfer", () => {
    expect(markedIn(of({ status: null, value: 1n }))).toEqual([])
    expect(markedIn(of({ status: null, gas: 50_000n, gasUsed: 40_000n }))).toEqual([])
    expect(markedIn(of({ status: null, gas: 50_000n, gasUsed: 50_000n }))).toEqual([alice, bob])
  })

  it("derive: assigns roles to the parties of a user operation, without a movement", () => {
    const [paymaster, entryPoint] = [account("e"), account("f")]
    const event = (sender: string, payer: string) =>
      log({
        address: entryPoint,
        topics: [UserOperation.topics.userOperation, topic(1), topic(sender), topic(payer)],
        data: data(3, 1, 500, 21_000),
      })
    const rows = rowsOf(of({ logs: [event(carol, zero), event(carol, paymaster)] })).filter(({ index }) => index === 0)

    expect(rows.map(({ movements, roles, wallet }) => [wallet, roles, movements])).toEqual([
      [alice, ["sender", "bundler"], ["fee -210000"]],
      [bob, ["recipient"], []],
      [carol, ["operation_sender"], []],
      [paymaster, ["paymaster"], []],
    ])
    expect(
      rowsOf(of({ logs: [{ ...event(carol, paymaster), data: data(3, 1, 500) }] })).map((row) => row.roles),
    ).toEqual([["sender"], ["recipient"], ["fee_recipient"]])
  })

  it("derive: adds blob fees, L1 fees and operator fees", () => {
    const blob = { facts: { index: 0, type: 3, blobGasUsed: 131_072n, blobGasPrice: 2n } }
    const layer2 = { index: 0, type: 2, l1Fee: 9n, operatorFeeScalar: 1_000_000n, operatorFeeConstant: 4n }

    expect(movementsOf(alice, of(blob))).toEqual([`fee ${-(210_000 + 262_144)}`])
    const isthmus = source({ timestamp: 1_750_000_000, transactions: [transaction({ facts: layer2 })], number: 2e8 })
    expect(movementsOf(alice, isthmus, optimism)).toEqual([`fee ${-(210_000 + 9 + 21_000 + 4)}`])
    expect(movementsOf("0x420000000000000000000000000000000000001b", isthmus, optimism)).toEqual(["reward 21004"])
    expect(movementsOf("0x420000000000000000000000000000000000001a", isthmus, optimism)).toEqual(["reward 9"])
    expect(movementsOf("0x4200000000000000000000000000000000000019", isthmus, optimism)).toEqual(["reward 147000"])
    expect(movementsOf(miner, isthmus, optimism)).toEqual(["reward 63000"])
    const jovian = { ...isthmus, timestamp: 1_764_691_201 }
    expect(movementsOf(alice, jovian, optimism)).toEqual([`fee ${-(210_000n + 9n + 2_100_000_000_000n + 4n)}`])
  })

  it("derive: marks the payer and the vaults of an OP Stack chain if the receipt omits the L1 data fee", () => {
    const of = (more: object) =>
      source({ number: 2e8, transactions: [transaction({ facts: { index: 0, type: 2, ...more } })] })

    expect(markedIn(of({ l1Fee: 0n }), optimism)).toEqual([])
    expect(markedIn(of({}), optimism)).toContain(alice)
    expect(markedIn(of({}), optimism)).toContain("0x420000000000000000000000000000000000001a")
    expect(markedIn(of({}), optimism)).not.toContain(bob)
    expect(markedIn(source({ number: 2e8, transactions: [transaction({ ...deposit })] }), optimism)).toEqual([])
    expect(markedIn(of({}))).toEqual([])
  })

  it("derive: marks what is unknown on a chain without a row: operator fees, omitted L1 fees, prepaid fees, rewards", () => {
    const unichain = LedgerRules.fromChainId(130)
    const of = (type: number, more: object = {}) =>
      source({ number: 2e7, transactions: [transaction({ facts: { index: 0, type, ...more } })] })
    const withDeposit = source({ transactions: [transaction({ ...deposit }), transaction({ index: 1, from: carol })] })

    expect(markedIn(of(2, { l1Fee: 1n, operatorFeeScalar: 100n }), unichain)).toEqual(expect.arrayContaining([alice]))
    expect(markedIn(of(2, { l1Fee: 1n }), unichain)).not.toContain(alice)
    expect(markedIn(of(2, { l1Fee: 1n }), unichain)).toContain(miner)
    expect(markedIn(withDeposit, unichain)).toContain(carol)
    expect(markedIn(of(0xff), LedgerRules.fromChainId(324))).toEqual(expect.arrayContaining([alice, miner]))
    expect(movementsOf(alice, of(0xff), LedgerRules.fromChainId(324))).toEqual([])
    expect(movementsOf(miner, source(), LedgerRules.fromChainId(999))).toEqual([])
    expect(markedIn(source(), LedgerRules.fromChainId(999))).toEqual([miner])
  })

  it("derive: marks the senders of type 0 transactions on Kaia, where another account may have paid the fee", () => {
    const of = (type: number) => source({ transactions: [transaction({ facts: { index: 0, type } })] })

    for (const id of [8_217, 1_001]) {
      expect(markedIn(of(0), LedgerRules.fromChainId(id))).toEqual(expect.arrayContaining([alice, miner]))
      expect(markedIn(of(2), LedgerRules.fromChainId(id))).toEqual([miner])
    }
    expect(markedIn(of(0), LedgerRules.fromChainId(999))).toEqual([miner])
  })

  it("derive: named fee rules override those of a row, and rules of development chains are known", () => {
    const jovian = source({
      number: 2e7,
      timestamp: 1_764_691_201,
      transactions: [transaction({ facts: { index: 0, type: 2, l1Fee: 1n, operatorFeeScalar: 100n } })],
    })

    expect(movementsOf(alice, jovian, LedgerRules.fromChainId(130, "base"))).toEqual([
      `fee ${-(210_000n + 1n + 21_000n * 100n * 100n)}`,
    ])
    expect(markedIn(jovian, LedgerRules.fromChainId(130, "base"))).toEqual([])
    expect(markedIn(source(), LedgerRules.fromChainId(1, "unknown"))).toEqual([miner])
    for (const id of [1_337, 31_337]) {
      expect(movementsOf(miner, source(), LedgerRules.fromChainId(id))).toEqual(["reward 63000"])
      expect(markedIn(source(), LedgerRules.fromChainId(id))).toEqual([])
    }
  })

  it("derive: mints the value of a deposit even if it failed, and charges no fee", () => {
    const minted = source({ number: 2e8, transactions: [transaction({ ...deposit, value: 500n })] })
    const failed = source({ number: 2e8, transactions: [transaction({ ...deposit, value: 500n, status: 0 })] })

    expect(movementsOf(alice, minted, optimism)).toEqual(["mint 500", "value -500"])
    expect(movementsOf(alice, failed, optimism)).toEqual(["mint 500"])
    expect(movementsOf("0x4200000000000000000000000000000000000019", minted, optimism)).toEqual([])
  })

  it("derive: pays static rewards of mined blocks by fork, and marks those with uncles", () => {
    const mined = (number: number, uncles: ReadonlyArray<string> = []) =>
      source({
        number,
        transactions: [],
        facts: facts({ difficulty: 5n, baseFeePerGas: null, gasUsed: 0n, gasFees: 0n, uncles }),
      })
    const ether = 10n ** 18n

    expect(movementsOf(miner, mined(1))).toEqual([`reward ${5n * ether}`])
    expect(movementsOf(miner, mined(4_370_000))).toEqual([`reward ${3n * ether}`])
    expect(movementsOf(miner, mined(7_280_000))).toEqual([`reward ${2n * ether}`])
    expect(movementsOf(miner, mined(7_280_000, [topic(1)]))).toEqual([`reward ${2n * ether + ether / 16n}`])
    expect(markedIn(mined(1))).toEqual([])
    expect(markedIn(mined(1, [topic(1)]))).toEqual([miner])
    expect(markedIn(mined(1_920_000))).toEqual([miner])
    expect(movementsOf(miner, mined(0))).toEqual([])
  })

  it("derive: pays withdrawals in wei", () => {
    const withdrawals = [{ index: 1n, validator: 2n, address: carol, amount: 3n }]
    const block = source({ facts: facts({ withdrawals }) })

    expect(movementsOf(carol, block)).toEqual(["withdrawal 3000000000"])
    // On Gnosis a withdrawal is a token.
    expect(movementsOf(carol, block, LedgerRules.fromChainId(100))).toEqual([])
  })

  it("derive: pays base fees to the chain's account, all fees to the fee recipient, or names what is unknown", () => {
    expect(movementsOf("0x6bbe78ee9e474842dbd4ab4987b3cefe88426a92", source(), LedgerRules.fromChainId(100))).toEqual([
      "reward 147000",
    ])
    expect(movementsOf(miner, source(), LedgerRules.fromChainId(56))).toEqual(["reward 210000"])
    expect(movementsOf(miner, source(), LedgerRules.fromChainId(42_161))).toEqual([])
    expect(markedIn(source(), LedgerRules.fromChainId(42_161))).toEqual([miner])
    expect(markedIn(source({ facts: facts({ gasFees: null }) }))).toEqual([miner])
  })

  it("derive: pays the fees of Polygon to the account in the fee log", () => {
    const emitter = "0x0000000000000000000000000000000000001010"
    const polygon = LedgerRules.fromChainId(137)
    const fee = log({
      address: emitter,
      topics: [
        "0x4dfe1bbbcf077ddc3e01291eea2d5c70c2b422b415d95645b9adcfd678cb1d63",
        topic(emitter),
        topic(alice),
        topic(carol),
      ],
      data: `0x${word(63_000).repeat(5)}`,
    })
    const block = source({ number: 60_000_000, transactions: [transaction({ logs: [fee] })] })
    const [tokenTransfer] = [transferLog(alice, bob, 4n, { address: emitter })]

    expect(movementsOf(carol, block, polygon)).toEqual(["reward 63000"])
    expect(movementsOf("0x7a8ed27f4c30512326878652d20fc85727401854", block, polygon)).toEqual(["reward 147000"])
    expect(markedIn(source({ number: 60_000_000 }), polygon)).toEqual([alice, bob])
    const twice = source({ number: 60_000_000, transactions: [transaction({ logs: [tokenTransfer, fee] })] })
    expect(movementsOf(bob, twice, polygon)).toEqual([])
  })

  it("derive: names the accounts that signed authorizations, but none for another chain", () => {
    const privateKey = topic(1) as `0x${string}`
    const signer = "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"
    const signed = (chainId: number) => {
      const payload = OxAuthorization.getSignPayload({ address: carol as `0x${string}`, chainId, nonce: 9n })
      const { r, s, yParity } = Secp256k1.sign({ payload, privateKey })
      const signature = `0x${word(r)}${word(s)}0${yParity}`
      return { chainId: BigInt(chainId), address: carol, nonce: 9n, signature }
    }
    const rows = (...authorizations: ReadonlyArray<unknown>) =>
      // Sound: the authorizations have the types of facts.
      rowsOf(of({ facts: { index: 0, type: 4, authorizations } as never })).filter(({ wallet }) => wallet === signer)

    expect(rows(signed(1))).toMatchObject([{ roles: ["authority"], movements: [] }])
    expect(rows(signed(0))).toHaveLength(1)
    expect(
      rows(signed(5), { ...signed(1), signature: null }, { ...signed(1), signature: `0x${"0".repeat(130)}` }),
    ).toEqual([])
  })

  it("derive: limits the movements of a transaction, and marks its rows", () => {
    const frames = Array.from({ length: 20 }, () => frame(bob, carol, 1n))
    const rules = { ...ethereum, maxMovements: 8 }
    const rows = rowsOf(of({ frames }), rules).filter(({ index }) => index === 0)

    expect(rows.flatMap(({ movements }) => movements)).toHaveLength(8)
    expect(rows.every(({ isIncomplete }) => isIncomplete)).toBe(true)
  })

  it("derive: omits a fee that was paid in a token, and marks its payer", () => {
    const paid = of({ facts: { index: 0, type: 0x7b, feeCurrency: carol as never } })

    expect(movementsOf(alice, paid)).toEqual([])
    expect(markedIn(paid)).toContain(alice)
  })

  it("derive: marks the fee and the minted value of a failed transaction as failed", () => {
    const failedIn = (status: number) =>
      Ledger.derive(of({ facts: { index: 0, type: 2, mint: 5n }, value: 3n, status }), ethereum).flatMap(
        ({ movements }) => movements.map(({ isFailed, kind }) => [kind, isFailed]),
      )

    expect(failedIn(0)).toEqual([
      ["mint", true],
      ["fee", true],
      ["reward", false],
    ])
    expect(failedIn(1)).toEqual([
      ["mint", false],
      ["fee", false],
      ["value", false],
      ["value", false],
      ["reward", false],
    ])
  })

  it("derive: mints the value of an Arbitrum deposit to its sender, and names the role", () => {
    const block = of({ facts: { index: 0, type: 0x64 }, value: 5n, gasPrice: 0n, gasUsed: 0n })

    expect(movementsOf(alice, block)).toEqual(["mint 5", "value -5"])
    expect(rowsOf(block)[0]).toMatchObject({ wallet: alice, roles: ["sender", "mint_recipient"] })
  })

  it("derive: names the account that receives the refund of an Arbitrum transaction, and marks it with the others", () => {
    const arbitrum = LedgerRules.fromChainId(42_161)
    const retry = (more: object) => of({ facts: { index: 0, type: 0x68, ...more }, gasPrice: 0n })

    expect(rowsOf(retry({ refundTo: carol }), arbitrum)).toMatchObject([
      { wallet: alice, isIncomplete: true },
      { wallet: bob, isIncomplete: true },
      { wallet: carol, roles: ["mint_recipient"], isIncomplete: true, movements: [] },
      { wallet: miner, isIncomplete: true },
    ])
    expect(markedIn(retry({}), arbitrum)).toEqual([alice, bob, miner])
    expect(markedIn(of({ facts: { index: 0, type: 2, refundTo: carol as never } }))).toEqual([])
  })

  it("derive: mints the additions that the Gnosis contract logs for the bridge, and nothing for other logs", () => {
    const gnosis = LedgerRules.fromChainId(100)
    const address = "0x481c034c6d9441db23ea48de68bcae812c5d39ba"
    const signature = "AddedReceiver(uint256,address,address)"
    const topics = [AbiEvent.getSelector(`event ${signature}`), topic(carol), topic(account("9"))]
    const added = log({ address, topics, data: data(7n) })
    const minted = (...logs: ReadonlyArray<ReturnType<typeof log>>) => movementsOf(carol, of({ logs }), gnosis)

    expect(minted(added, log({ ...added, data: data(5n) }))).toEqual(["mint 7", "mint 5"])
    expect(rowsOf(of({ logs: [added] }), gnosis).find(({ wallet }) => wallet === carol)?.roles).toEqual([
      "mint_recipient",
    ])
    expect(minted(log({ ...added, address: account("8") }))).toEqual([])
    expect(minted(log({ ...added, data: data(7n, 8n) }))).toEqual([])
    expect(minted(log({ ...added, topics: [topic(1), ...topics.slice(1)] }))).toEqual([])
    const unnamed = log({ ...added, topics: topics.slice(0, 1) })
    expect(rowsOf(of({ logs: [unnamed] }), gnosis)).toEqual(rowsOf(of({ logs: [] }), gnosis))
    expect(movementsOf(carol, of({ logs: [added] }))).toEqual([])
  })

  it.each([
    ["of another type", { type: 2 }, []],
    ["with a mint", { type: 0x7e, mint: 3n }, ["mint 3"]],
    ["with a mint of nothing", { type: 0x7e, mint: 0n }, []],
    ["with the value of a deposit", { type: 0x7e, depositValue: 4n }, ["mint 4"]],
    ["with both", { type: 0x7e, mint: 3n, depositValue: 4n }, ["mint 3"]],
  ])("derive: mints the value of a transaction %s, without gas", (_, stated, minted) => {
    const block = of({ facts: { index: 0, ...stated }, value: 5n, gasPrice: 0n, gasUsed: 0n })

    expect(movementsOf(alice, block)).toEqual([...minted, "value -5"])
  })

  it("derive: mints nothing to the sender of a sponsored Ronin transaction, and charges its payer", () => {
    const block = of({ facts: { index: 0, type: 0x64, feePayer: carol as never }, value: 5n })

    expect(movementsOf(alice, block)).toEqual(["value -5"])
    expect(movementsOf(carol, block)).toEqual(["fee -210000"])
  })

  it("derive: charges the fee to the account that pays it, and names its role", () => {
    const payer = { index: 0, type: 0x76, feePayer: carol as never }
    const inToken = { ...payer, feeToken: account("7") as never }

    expect(movementsOf(carol, of({ facts: payer }))).toEqual(["fee -210000"])
    expect(movementsOf(alice, of({ facts: payer }))).toEqual([])
    expect(rowsOf(of({ facts: payer })).find(({ wallet }) => wallet === carol)?.roles).toEqual(["fee_payer"])
    expect(movementsOf(carol, of({ facts: inToken }))).toEqual([])
    expect(markedIn(of({ facts: inToken }))).toEqual([carol, miner])
  })

  it("derive: uses the last fee log of Polygon's contract, and no log of another contract or event", () => {
    const emitter = "0x0000000000000000000000000000000000001010"
    const feeTopic = "0x4dfe1bbbcf077ddc3e01291eea2d5c70c2b422b415d95645b9adcfd678cb1d63"
    const polygon = LedgerRules.fromChainId(137)
    const fee = (to: string, more: object = {}) =>
      log({ address: emitter, topics: [feeTopic, topic(emitter), topic(alice), topic(to)], data: "0x", ...more })
    const other = fee(bob, { topics: [topic(7), topic(emitter), topic(alice), topic(bob)] })
    const logs = [fee(bob), fee(carol), fee(bob, { address: account("7") }), other]
    const block = source({ number: 60_000_000, transactions: [transaction({ logs })] })
    const free = source({ number: 60_000_000, transactions: [transaction({ gasPrice: 7n })] })

    expect(movementsOf(carol, block, polygon)).toEqual(["reward 63000"])
    expect(movementsOf(bob, block, polygon)).toEqual([])
    expect(rowsOf(block, polygon).find(({ wallet }) => wallet === carol)?.roles).toEqual(["fee_recipient"])
    expect(markedIn(free, polygon)).toEqual([])
  })

  it("derive: marks a state-sync transaction whose deposits are in no trace", () => {
    const polygon = LedgerRules.fromChainId(137)
    const emitter = "0x0000000000000000000000000000000000001010"
    const moved = transferLog(emitter, carol, 4n, { address: emitter })
    const fee = log({
      address: emitter,
      topics: ["0x4dfe1bbbcf077ddc3e01291eea2d5c70c2b422b415d95645b9adcfd678cb1d63"],
    })
    const marked = (more: Partial<SourceTransaction>) =>
      markedIn(source({ number: 60_000_000, transactions: [transaction({ from: zero, to: zero, ...more })] }), polygon)

    expect(marked({ logs: [moved] })).toEqual([zero, carol])
    expect(marked({ logs: [moved, log({})] })).toEqual([zero, carol])
    expect(marked({ logs: [fee] })).toEqual([])
    expect(marked({ logs: [log({ topics: [topic(1)] })] })).toEqual([])
    expect(marked({ logs: [moved], frames: [frame(emitter, carol, 4n)] })).toEqual([])
    expect(marked({ logs: [moved], frames: null })).toEqual([zero, carol])
    expect(marked({ logs: [moved], from: alice, to: bob, gasPrice: 7n })).toEqual([])
  })

  it("derive: assigns a role to a created contract", () => {
    expect(rowsOf(of({ to: null, created: carol })).find(({ wallet }) => wallet === carol)?.roles).toEqual(["created"])
    expect(rowsOf(of({ to: null })).map(({ wallet }) => wallet)).toEqual([alice, miner])
  })

  it("derive: reads the authorizations of a block up to a limit, and marks the transactions beyond it", () => {
    const unsigned = { chainId: 1n, address: carol, nonce: 9n, signature: null }
    const list = (count: number) => Array.from({ length: count }, () => unsigned)
    // Sound: the authorizations have the types of facts.
    const setCode = (count: number, index: number) =>
      ({ index, gasUsed: 10_500n, facts: { index, type: 4, authorizations: list(count) } }) as never
    const markedOf = (...counts: ReadonlyArray<number>) => {
      const block = of(...counts.map(setCode))
      const rows = rowsOf(block).filter(({ index, isIncomplete }) => isIncomplete && index < counts.length)
      return [...new Set(rows.map(({ index }) => index))]
    }

    expect(markedOf(Authorities.maxRecovered)).toEqual([])
    expect(markedOf(Authorities.maxRecovered + 1)).toEqual([0])
    expect(markedOf(Authorities.maxRecovered, 0, 1)).toEqual([2])
    expect(rowsOf(of(setCode(1, 0))).map(({ wallet }) => wallet)).toEqual([alice, bob, miner])
  })

  it("steps: pauses after every 16 transactions, and after one whose authorizations were recovered", () => {
    const unsigned = { chainId: 1n, address: carol, nonce: 9n, signature: null }
    const plain = Array.from({ length: 40 }, (_, index) => ({ index }))
    // Sound: the authorizations have the types of facts.
    const setCode = { facts: { index: 0, type: 4, authorizations: [unsigned] } } as never

    expect([...Ledger.steps(of(...plain), ethereum)]).toHaveLength(2)
    expect([...Ledger.steps(of(setCode, ...plain.slice(1, 3)), ethereum)]).toHaveLength(1)
  })
})
