/** Requests to Etherscan's API with random combinations of parameters, and the required response to each. */
import { Effect } from "effect"
import * as Random from "@daybook/testkit/internal/Random"
import type { Started } from "../server/service.ts"
import * as Rows from "../server/rows.ts"

/** A key that does not exist. */
const canary = "canary0123456789abcdefcanary"

const values = [
  "",
  "0",
  "-1",
  "1e3",
  "%",
  "%00",
  "9".repeat(40),
  Rows.alice,
  "0x",
  "latest",
  "asc",
  "ÿ",
  "a,b",
  "__proto__",
]

const names = [
  "address",
  "startblock",
  "endblock",
  "page",
  "offset",
  "sort",
  "txhash",
  "tag",
  "timestamp",
  "closest",
  "contractaddress",
  "boolean",
  "to",
  "data",
  "blockno",
  "contractaddresses",
  "fromBlock",
  "toBlock",
  "topic0",
  "topic1",
  "topic0_1_opr",
]

const actions = [
  "account&action=txlist",
  "account&action=txlistinternal",
  "account&action=tokentx",
  "account&action=getminedblocks",
  "account&action=txsBeaconWithdrawal",
  "account&action=balance",
  "account&action=balancemulti",
  "block&action=getblocknobytime",
  "transaction&action=getstatus",
  "contract&action=getabi",
  "contract&action=getsourcecode",
  "contract&action=getcontractcreation",
  "logs&action=getLogs",
  "account&action=balancehistory",
  "account&action=addresstokenbalance",
  "account&action=addresstokennftinventory",
  "block&action=getblockreward",
  "block&action=getblockcountdown",
  "block&action=getblocktxnscount",
  "gastracker&action=gasoracle",
  "getapilimit&action=getapilimit",
  "nametag&action=getaddresstag",
  "proxy&action=eth_call",
  "x&action=y",
]

/** One of this many requests uses the unknown key. */
const canaryEvery = 50

const queriesOf = (count: number, key: string, seed: number): ReadonlyArray<string> => {
  const random = Random.make(seed)
  const pick = (list: ReadonlyArray<string>) => list[random.integer(list.length)]!
  return Array.from({ length: count }, (_, at) => {
    const sent = Array.from({ length: random.integer(6) }, () => `${pick(names)}=${pick(values)}`)
    return `chainid=1&module=${pick(actions)}&apikey=${at % canaryEvery === 0 ? canary : key}&${sent.join("&")}`
  })
}

/** Sends requests; returns those whose response is not in Etherscan's format, and outputs that contain a key. */
export const send = Effect.fnUntraced(function* (service: Started, key: string, count: number, seed: number) {
  const failures = yield* Effect.forEach(
    queriesOf(count, key, seed),
    (query) =>
      Effect.map(service.fetch(`/v2/api?${query}`), ({ json, status, text }) => {
        const isOwn = json?.status === "0" || json?.status === "1" || json?.jsonrpc === "2.0"
        return status === 200 && isOwn && !/internal server error/i.test(text) && !text.includes(key)
          ? []
          : [`${status} ${query.replace(key, "KEY")} ${text.slice(0, 200)}`]
      }),
    { concurrency: 16 },
  )
  const metrics = (yield* service.fetch("/metrics")).text
  const lines = service.logs.join("\n")
  const leaks = Object.entries({ metrics, lines }).flatMap(([name, text]) =>
    [canary, key].some((one) => text.includes(one)) ? [`A key is in the ${name}.`] : [],
  )
  return [...failures.flat(), ...leaks]
})
