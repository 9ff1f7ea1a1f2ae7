/**
 * Generated from the schemas by `pnpm snapshots`: code of the objects that responses repeat. Each function is a copy of `stepOver` of
 * `open.ts`, unrolled over the keys of one object. Decoding and encoding have one each, although they read alike: an
 * engine compiles a function for the steps that it calls.
 */
import { isObject, type Unrolled, unread } from "../coder.ts"

export const Action: Unrolled = {
  read: ([s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12], lacking) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      let isLacking = false
      if (output["callType"] === undefined) isLacking = true
      else if ((output["callType"] = s0!(output["callType"])) === unread) return unread
      if (output["from"] === undefined) isLacking = true
      else if ((output["from"] = s1!(output["from"])) === unread) return unread
      if (output["to"] === undefined) isLacking = true
      else if ((output["to"] = s2!(output["to"])) === unread) return unread
      if (output["value"] === undefined) isLacking = true
      else if ((output["value"] = s3!(output["value"])) === unread) return unread
      if (output["gas"] === undefined) isLacking = true
      else if ((output["gas"] = s4!(output["gas"])) === unread) return unread
      if (output["input"] === undefined) isLacking = true
      else if ((output["input"] = s5!(output["input"])) === unread) return unread
      if (output["init"] === undefined) isLacking = true
      else if ((output["init"] = s6!(output["init"])) === unread) return unread
      if (output["creationMethod"] === undefined) isLacking = true
      else if ((output["creationMethod"] = s7!(output["creationMethod"])) === unread) return unread
      if (output["address"] === undefined) isLacking = true
      else if ((output["address"] = s8!(output["address"])) === unread) return unread
      if (output["refundAddress"] === undefined) isLacking = true
      else if ((output["refundAddress"] = s9!(output["refundAddress"])) === unread) return unread
      if (output["balance"] === undefined) isLacking = true
      else if ((output["balance"] = s10!(output["balance"])) === unread) return unread
      if (output["author"] === undefined) isLacking = true
      else if ((output["author"] = s11!(output["author"])) === unread) return unread
      if (output["rewardType"] === undefined) isLacking = true
      else if ((output["rewardType"] = s12!(output["rewardType"])) === unread) return unread
      return isLacking ? lacking(output) : output
    },
  write: ([s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12], lacking) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      let isLacking = false
      if (output["callType"] === undefined) isLacking = true
      else if ((output["callType"] = s0!(output["callType"])) === unread) return unread
      if (output["from"] === undefined) isLacking = true
      else if ((output["from"] = s1!(output["from"])) === unread) return unread
      if (output["to"] === undefined) isLacking = true
      else if ((output["to"] = s2!(output["to"])) === unread) return unread
      if (output["value"] === undefined) isLacking = true
      else if ((output["value"] = s3!(output["value"])) === unread) return unread
      if (output["gas"] === undefined) isLacking = true
      else if ((output["gas"] = s4!(output["gas"])) === unread) return unread
      if (output["input"] === undefined) isLacking = true
      else if ((output["input"] = s5!(output["input"])) === unread) return unread
      if (output["init"] === undefined) isLacking = true
      else if ((output["init"] = s6!(output["init"])) === unread) return unread
      if (output["creationMethod"] === undefined) isLacking = true
      else if ((output["creationMethod"] = s7!(output["creationMethod"])) === unread) return unread
      if (output["address"] === undefined) isLacking = true
      else if ((output["address"] = s8!(output["address"])) === unread) return unread
      if (output["refundAddress"] === undefined) isLacking = true
      else if ((output["refundAddress"] = s9!(output["refundAddress"])) === unread) return unread
      if (output["balance"] === undefined) isLacking = true
      else if ((output["balance"] = s10!(output["balance"])) === unread) return unread
      if (output["author"] === undefined) isLacking = true
      else if ((output["author"] = s11!(output["author"])) === unread) return unread
      if (output["rewardType"] === undefined) isLacking = true
      else if ((output["rewardType"] = s12!(output["rewardType"])) === unread) return unread
      return isLacking ? lacking(output) : output
    },
}

export const ActionResult: Unrolled = {
  read: ([s0, s1, s2, s3], lacking) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      let isLacking = false
      if (output["gasUsed"] === undefined) isLacking = true
      else if ((output["gasUsed"] = s0!(output["gasUsed"])) === unread) return unread
      if (output["output"] === undefined) isLacking = true
      else if ((output["output"] = s1!(output["output"])) === unread) return unread
      if (output["address"] === undefined) isLacking = true
      else if ((output["address"] = s2!(output["address"])) === unread) return unread
      if (output["code"] === undefined) isLacking = true
      else if ((output["code"] = s3!(output["code"])) === unread) return unread
      return isLacking ? lacking(output) : output
    },
  write: ([s0, s1, s2, s3], lacking) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      let isLacking = false
      if (output["gasUsed"] === undefined) isLacking = true
      else if ((output["gasUsed"] = s0!(output["gasUsed"])) === unread) return unread
      if (output["output"] === undefined) isLacking = true
      else if ((output["output"] = s1!(output["output"])) === unread) return unread
      if (output["address"] === undefined) isLacking = true
      else if ((output["address"] = s2!(output["address"])) === unread) return unread
      if (output["code"] === undefined) isLacking = true
      else if ((output["code"] = s3!(output["code"])) === unread) return unread
      return isLacking ? lacking(output) : output
    },
}

export const DecodedItem: Unrolled = {
  read: ([s0, s1, s2, s3]) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      if ((output["signature"] = s0!(output["signature"])) === unread) return unread
      if ((output["label"] = s1!(output["label"])) === unread) return unread
      if ((output["type"] = s2!(output["type"])) === unread) return unread
      if ((output["params"] = s3!(output["params"])) === unread) return unread
      return output
    },
  write: ([s0, s1, s2, s3]) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      if ((output["signature"] = s0!(output["signature"])) === unread) return unread
      if ((output["label"] = s1!(output["label"])) === unread) return unread
      if ((output["type"] = s2!(output["type"])) === unread) return unread
      if ((output["params"] = s3!(output["params"])) === unread) return unread
      return output
    },
}

export const FeeMarket: Unrolled = {
  read: ([s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16, s17, s18, s19, s20], lacking) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      let isLacking = false
      if (output["blockHash"] === undefined) isLacking = true
      else if ((output["blockHash"] = s0!(output["blockHash"])) === unread) return unread
      if (output["blockNumber"] === undefined) isLacking = true
      else if ((output["blockNumber"] = s1!(output["blockNumber"])) === unread) return unread
      if (output["transactionIndex"] === undefined) isLacking = true
      else if ((output["transactionIndex"] = s2!(output["transactionIndex"])) === unread) return unread
      if (output["blockTimestamp"] === undefined) isLacking = true
      else if ((output["blockTimestamp"] = s3!(output["blockTimestamp"])) === unread) return unread
      if ((output["hash"] = s4!(output["hash"])) === unread) return unread
      if ((output["from"] = s5!(output["from"])) === unread) return unread
      if ((output["to"] = s6!(output["to"])) === unread) return unread
      if ((output["value"] = s7!(output["value"])) === unread) return unread
      if ((output["input"] = s8!(output["input"])) === unread) return unread
      if ((output["gas"] = s9!(output["gas"])) === unread) return unread
      if ((output["nonce"] = s10!(output["nonce"])) === unread) return unread
      if ((output["v"] = s11!(output["v"])) === unread) return unread
      if ((output["r"] = s12!(output["r"])) === unread) return unread
      if ((output["s"] = s13!(output["s"])) === unread) return unread
      if (output["yParity"] === undefined) isLacking = true
      else if ((output["yParity"] = s14!(output["yParity"])) === unread) return unread
      if (output["gasPrice"] === undefined) isLacking = true
      else if ((output["gasPrice"] = s15!(output["gasPrice"])) === unread) return unread
      if ((output["maxFeePerGas"] = s16!(output["maxFeePerGas"])) === unread) return unread
      if ((output["maxPriorityFeePerGas"] = s17!(output["maxPriorityFeePerGas"])) === unread) return unread
      if ((output["chainId"] = s18!(output["chainId"])) === unread) return unread
      if (output["accessList"] === undefined) isLacking = true
      else if ((output["accessList"] = s19!(output["accessList"])) === unread) return unread
      if ((output["type"] = s20!(output["type"])) === unread) return unread
      return isLacking ? lacking(output) : output
    },
  write: ([s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16, s17, s18, s19, s20], lacking) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      let isLacking = false
      if (output["blockHash"] === undefined) isLacking = true
      else if ((output["blockHash"] = s0!(output["blockHash"])) === unread) return unread
      if (output["blockNumber"] === undefined) isLacking = true
      else if ((output["blockNumber"] = s1!(output["blockNumber"])) === unread) return unread
      if (output["transactionIndex"] === undefined) isLacking = true
      else if ((output["transactionIndex"] = s2!(output["transactionIndex"])) === unread) return unread
      if (output["blockTimestamp"] === undefined) isLacking = true
      else if ((output["blockTimestamp"] = s3!(output["blockTimestamp"])) === unread) return unread
      if ((output["hash"] = s4!(output["hash"])) === unread) return unread
      if ((output["from"] = s5!(output["from"])) === unread) return unread
      if ((output["to"] = s6!(output["to"])) === unread) return unread
      if ((output["value"] = s7!(output["value"])) === unread) return unread
      if ((output["input"] = s8!(output["input"])) === unread) return unread
      if ((output["gas"] = s9!(output["gas"])) === unread) return unread
      if ((output["nonce"] = s10!(output["nonce"])) === unread) return unread
      if ((output["v"] = s11!(output["v"])) === unread) return unread
      if ((output["r"] = s12!(output["r"])) === unread) return unread
      if ((output["s"] = s13!(output["s"])) === unread) return unread
      if (output["yParity"] === undefined) isLacking = true
      else if ((output["yParity"] = s14!(output["yParity"])) === unread) return unread
      if (output["gasPrice"] === undefined) isLacking = true
      else if ((output["gasPrice"] = s15!(output["gasPrice"])) === unread) return unread
      if ((output["maxFeePerGas"] = s16!(output["maxFeePerGas"])) === unread) return unread
      if ((output["maxPriorityFeePerGas"] = s17!(output["maxPriorityFeePerGas"])) === unread) return unread
      if ((output["chainId"] = s18!(output["chainId"])) === unread) return unread
      if (output["accessList"] === undefined) isLacking = true
      else if ((output["accessList"] = s19!(output["accessList"])) === unread) return unread
      if ((output["type"] = s20!(output["type"])) === unread) return unread
      return isLacking ? lacking(output) : output
    },
}

export const FlatTrace: Unrolled = {
  read: ([s0, s1, s2, s3, s4, s5, s6, s7, s8, s9], lacking) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      let isLacking = false
      if ((output["type"] = s0!(output["type"])) === unread) return unread
      if ((output["action"] = s1!(output["action"])) === unread) return unread
      if (output["result"] === undefined) isLacking = true
      else if ((output["result"] = s2!(output["result"])) === unread) return unread
      if (output["error"] === undefined) isLacking = true
      else if ((output["error"] = s3!(output["error"])) === unread) return unread
      if ((output["subtraces"] = s4!(output["subtraces"])) === unread) return unread
      if ((output["traceAddress"] = s5!(output["traceAddress"])) === unread) return unread
      if (output["transactionHash"] === undefined) isLacking = true
      else if ((output["transactionHash"] = s6!(output["transactionHash"])) === unread) return unread
      if (output["transactionPosition"] === undefined) isLacking = true
      else if ((output["transactionPosition"] = s7!(output["transactionPosition"])) === unread) return unread
      if (output["blockHash"] === undefined) isLacking = true
      else if ((output["blockHash"] = s8!(output["blockHash"])) === unread) return unread
      if (output["blockNumber"] === undefined) isLacking = true
      else if ((output["blockNumber"] = s9!(output["blockNumber"])) === unread) return unread
      return isLacking ? lacking(output) : output
    },
  write: ([s0, s1, s2, s3, s4, s5, s6, s7, s8, s9], lacking) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      let isLacking = false
      if ((output["type"] = s0!(output["type"])) === unread) return unread
      if ((output["action"] = s1!(output["action"])) === unread) return unread
      if (output["result"] === undefined) isLacking = true
      else if ((output["result"] = s2!(output["result"])) === unread) return unread
      if (output["error"] === undefined) isLacking = true
      else if ((output["error"] = s3!(output["error"])) === unread) return unread
      if ((output["subtraces"] = s4!(output["subtraces"])) === unread) return unread
      if ((output["traceAddress"] = s5!(output["traceAddress"])) === unread) return unread
      if (output["transactionHash"] === undefined) isLacking = true
      else if ((output["transactionHash"] = s6!(output["transactionHash"])) === unread) return unread
      if (output["transactionPosition"] === undefined) isLacking = true
      else if ((output["transactionPosition"] = s7!(output["transactionPosition"])) === unread) return unread
      if (output["blockHash"] === undefined) isLacking = true
      else if ((output["blockHash"] = s8!(output["blockHash"])) === unread) return unread
      if (output["blockNumber"] === undefined) isLacking = true
      else if ((output["blockNumber"] = s9!(output["blockNumber"])) === unread) return unread
      return isLacking ? lacking(output) : output
    },
}

export const InternalTransaction: Unrolled = {
  read: ([s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15], lacking) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      let isLacking = false
      if ((output["transaction_hash"] = s0!(output["transaction_hash"])) === unread) return unread
      if ((output["block_number"] = s1!(output["block_number"])) === unread) return unread
      if ((output["block_hash"] = s2!(output["block_hash"])) === unread) return unread
      if ((output["type"] = s3!(output["type"])) === unread) return unread
      if ((output["from"] = s4!(output["from"])) === unread) return unread
      if (output["to"] === undefined) isLacking = true
      else if ((output["to"] = s5!(output["to"])) === unread) return unread
      if ((output["value"] = s6!(output["value"])) === unread) return unread
      if ((output["gas"] = s7!(output["gas"])) === unread) return unread
      if ((output["gas_used"] = s8!(output["gas_used"])) === unread) return unread
      if (output["input"] === undefined) isLacking = true
      else if ((output["input"] = s9!(output["input"])) === unread) return unread
      if (output["input_length"] === undefined) isLacking = true
      else if ((output["input_length"] = s10!(output["input_length"])) === unread) return unread
      if (output["input_hash"] === undefined) isLacking = true
      else if ((output["input_hash"] = s11!(output["input_hash"])) === unread) return unread
      if (output["output"] === undefined) isLacking = true
      else if ((output["output"] = s12!(output["output"])) === unread) return unread
      if (output["output_length"] === undefined) isLacking = true
      else if ((output["output_length"] = s13!(output["output_length"])) === unread) return unread
      if (output["output_hash"] === undefined) isLacking = true
      else if ((output["output_hash"] = s14!(output["output_hash"])) === unread) return unread
      if (output["error"] === undefined) isLacking = true
      else if ((output["error"] = s15!(output["error"])) === unread) return unread
      return isLacking ? lacking(output) : output
    },
  write: ([s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15], lacking) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      let isLacking = false
      if ((output["transaction_hash"] = s0!(output["transaction_hash"])) === unread) return unread
      if ((output["block_number"] = s1!(output["block_number"])) === unread) return unread
      if ((output["block_hash"] = s2!(output["block_hash"])) === unread) return unread
      if ((output["type"] = s3!(output["type"])) === unread) return unread
      if ((output["from"] = s4!(output["from"])) === unread) return unread
      if (output["to"] === undefined) isLacking = true
      else if ((output["to"] = s5!(output["to"])) === unread) return unread
      if ((output["value"] = s6!(output["value"])) === unread) return unread
      if ((output["gas"] = s7!(output["gas"])) === unread) return unread
      if ((output["gas_used"] = s8!(output["gas_used"])) === unread) return unread
      if (output["input"] === undefined) isLacking = true
      else if ((output["input"] = s9!(output["input"])) === unread) return unread
      if (output["input_length"] === undefined) isLacking = true
      else if ((output["input_length"] = s10!(output["input_length"])) === unread) return unread
      if (output["input_hash"] === undefined) isLacking = true
      else if ((output["input_hash"] = s11!(output["input_hash"])) === unread) return unread
      if (output["output"] === undefined) isLacking = true
      else if ((output["output"] = s12!(output["output"])) === unread) return unread
      if (output["output_length"] === undefined) isLacking = true
      else if ((output["output_length"] = s13!(output["output_length"])) === unread) return unread
      if (output["output_hash"] === undefined) isLacking = true
      else if ((output["output_hash"] = s14!(output["output_hash"])) === unread) return unread
      if (output["error"] === undefined) isLacking = true
      else if ((output["error"] = s15!(output["error"])) === unread) return unread
      return isLacking ? lacking(output) : output
    },
}

export const Legacy: Unrolled = {
  read: ([s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16, s17, s18], lacking) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      let isLacking = false
      if (output["blockHash"] === undefined) isLacking = true
      else if ((output["blockHash"] = s0!(output["blockHash"])) === unread) return unread
      if (output["blockNumber"] === undefined) isLacking = true
      else if ((output["blockNumber"] = s1!(output["blockNumber"])) === unread) return unread
      if (output["transactionIndex"] === undefined) isLacking = true
      else if ((output["transactionIndex"] = s2!(output["transactionIndex"])) === unread) return unread
      if (output["blockTimestamp"] === undefined) isLacking = true
      else if ((output["blockTimestamp"] = s3!(output["blockTimestamp"])) === unread) return unread
      if ((output["hash"] = s4!(output["hash"])) === unread) return unread
      if ((output["from"] = s5!(output["from"])) === unread) return unread
      if ((output["to"] = s6!(output["to"])) === unread) return unread
      if ((output["value"] = s7!(output["value"])) === unread) return unread
      if ((output["input"] = s8!(output["input"])) === unread) return unread
      if ((output["gas"] = s9!(output["gas"])) === unread) return unread
      if ((output["nonce"] = s10!(output["nonce"])) === unread) return unread
      if ((output["v"] = s11!(output["v"])) === unread) return unread
      if ((output["r"] = s12!(output["r"])) === unread) return unread
      if ((output["s"] = s13!(output["s"])) === unread) return unread
      if (output["yParity"] === undefined) isLacking = true
      else if ((output["yParity"] = s14!(output["yParity"])) === unread) return unread
      if ((output["gasPrice"] = s15!(output["gasPrice"])) === unread) return unread
      if (output["type"] === undefined) isLacking = true
      else if ((output["type"] = s16!(output["type"])) === unread) return unread
      if (output["chainId"] === undefined) isLacking = true
      else if ((output["chainId"] = s17!(output["chainId"])) === unread) return unread
      if (output["feeCurrency"] === undefined) isLacking = true
      else if ((output["feeCurrency"] = s18!(output["feeCurrency"])) === unread) return unread
      return isLacking ? lacking(output) : output
    },
  write: ([s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16, s17, s18], lacking) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      let isLacking = false
      if (output["blockHash"] === undefined) isLacking = true
      else if ((output["blockHash"] = s0!(output["blockHash"])) === unread) return unread
      if (output["blockNumber"] === undefined) isLacking = true
      else if ((output["blockNumber"] = s1!(output["blockNumber"])) === unread) return unread
      if (output["transactionIndex"] === undefined) isLacking = true
      else if ((output["transactionIndex"] = s2!(output["transactionIndex"])) === unread) return unread
      if (output["blockTimestamp"] === undefined) isLacking = true
      else if ((output["blockTimestamp"] = s3!(output["blockTimestamp"])) === unread) return unread
      if ((output["hash"] = s4!(output["hash"])) === unread) return unread
      if ((output["from"] = s5!(output["from"])) === unread) return unread
      if ((output["to"] = s6!(output["to"])) === unread) return unread
      if ((output["value"] = s7!(output["value"])) === unread) return unread
      if ((output["input"] = s8!(output["input"])) === unread) return unread
      if ((output["gas"] = s9!(output["gas"])) === unread) return unread
      if ((output["nonce"] = s10!(output["nonce"])) === unread) return unread
      if ((output["v"] = s11!(output["v"])) === unread) return unread
      if ((output["r"] = s12!(output["r"])) === unread) return unread
      if ((output["s"] = s13!(output["s"])) === unread) return unread
      if (output["yParity"] === undefined) isLacking = true
      else if ((output["yParity"] = s14!(output["yParity"])) === unread) return unread
      if ((output["gasPrice"] = s15!(output["gasPrice"])) === unread) return unread
      if (output["type"] === undefined) isLacking = true
      else if ((output["type"] = s16!(output["type"])) === unread) return unread
      if (output["chainId"] === undefined) isLacking = true
      else if ((output["chainId"] = s17!(output["chainId"])) === unread) return unread
      if (output["feeCurrency"] === undefined) isLacking = true
      else if ((output["feeCurrency"] = s18!(output["feeCurrency"])) === unread) return unread
      return isLacking ? lacking(output) : output
    },
}

export const Log: Unrolled = {
  read: ([s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12], lacking) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      let isLacking = false
      if ((output["log_index"] = s0!(output["log_index"])) === unread) return unread
      if ((output["transaction_hash"] = s1!(output["transaction_hash"])) === unread) return unread
      if ((output["transaction_index"] = s2!(output["transaction_index"])) === unread) return unread
      if ((output["address"] = s3!(output["address"])) === unread) return unread
      if ((output["data"] = s4!(output["data"])) === unread) return unread
      if (output["topic0"] === undefined) isLacking = true
      else if ((output["topic0"] = s5!(output["topic0"])) === unread) return unread
      if (output["topic1"] === undefined) isLacking = true
      else if ((output["topic1"] = s6!(output["topic1"])) === unread) return unread
      if (output["topic2"] === undefined) isLacking = true
      else if ((output["topic2"] = s7!(output["topic2"])) === unread) return unread
      if (output["topic3"] === undefined) isLacking = true
      else if ((output["topic3"] = s8!(output["topic3"])) === unread) return unread
      if ((output["block_timestamp"] = s9!(output["block_timestamp"])) === unread) return unread
      if ((output["block_number"] = s10!(output["block_number"])) === unread) return unread
      if ((output["block_hash"] = s11!(output["block_hash"])) === unread) return unread
      if (output["decoded_event"] === undefined) isLacking = true
      else if ((output["decoded_event"] = s12!(output["decoded_event"])) === unread) return unread
      return isLacking ? lacking(output) : output
    },
  write: ([s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12], lacking) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      let isLacking = false
      if ((output["log_index"] = s0!(output["log_index"])) === unread) return unread
      if ((output["transaction_hash"] = s1!(output["transaction_hash"])) === unread) return unread
      if ((output["transaction_index"] = s2!(output["transaction_index"])) === unread) return unread
      if ((output["address"] = s3!(output["address"])) === unread) return unread
      if ((output["data"] = s4!(output["data"])) === unread) return unread
      if (output["topic0"] === undefined) isLacking = true
      else if ((output["topic0"] = s5!(output["topic0"])) === unread) return unread
      if (output["topic1"] === undefined) isLacking = true
      else if ((output["topic1"] = s6!(output["topic1"])) === unread) return unread
      if (output["topic2"] === undefined) isLacking = true
      else if ((output["topic2"] = s7!(output["topic2"])) === unread) return unread
      if (output["topic3"] === undefined) isLacking = true
      else if ((output["topic3"] = s8!(output["topic3"])) === unread) return unread
      if ((output["block_timestamp"] = s9!(output["block_timestamp"])) === unread) return unread
      if ((output["block_number"] = s10!(output["block_number"])) === unread) return unread
      if ((output["block_hash"] = s11!(output["block_hash"])) === unread) return unread
      if (output["decoded_event"] === undefined) isLacking = true
      else if ((output["decoded_event"] = s12!(output["decoded_event"])) === unread) return unread
      return isLacking ? lacking(output) : output
    },
}

export const Movement: Unrolled = {
  read: ([s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16, s17], lacking) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      let isLacking = false
      if ((output["kind"] = s0!(output["kind"])) === unread) return unread
      if ((output["asset"] = s1!(output["asset"])) === unread) return unread
      if ((output["token_id"] = s2!(output["token_id"])) === unread) return unread
      if ((output["token"] = s3!(output["token"])) === unread) return unread
      if ((output["amount"] = s4!(output["amount"])) === unread) return unread
      if ((output["counterparty"] = s5!(output["counterparty"])) === unread) return unread
      if ((output["counterparty_label"] = s6!(output["counterparty_label"])) === unread) return unread
      if ((output["transaction_hash"] = s7!(output["transaction_hash"])) === unread) return unread
      if ((output["transaction_index"] = s8!(output["transaction_index"])) === unread) return unread
      if ((output["log_index"] = s9!(output["log_index"])) === unread) return unread
      if ((output["movement_index"] = s10!(output["movement_index"])) === unread) return unread
      if ((output["block_number"] = s11!(output["block_number"])) === unread) return unread
      if ((output["block_hash"] = s12!(output["block_hash"])) === unread) return unread
      if ((output["block_timestamp"] = s13!(output["block_timestamp"])) === unread) return unread
      if ((output["failed"] = s14!(output["failed"])) === unread) return unread
      if ((output["incomplete"] = s15!(output["incomplete"])) === unread) return unread
      if ((output["roles"] = s16!(output["roles"])) === unread) return unread
      if (output["flags"] === undefined) isLacking = true
      else if ((output["flags"] = s17!(output["flags"])) === unread) return unread
      return isLacking ? lacking(output) : output
    },
  write: ([s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16, s17], lacking) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      let isLacking = false
      if ((output["kind"] = s0!(output["kind"])) === unread) return unread
      if ((output["asset"] = s1!(output["asset"])) === unread) return unread
      if ((output["token_id"] = s2!(output["token_id"])) === unread) return unread
      if ((output["token"] = s3!(output["token"])) === unread) return unread
      if ((output["amount"] = s4!(output["amount"])) === unread) return unread
      if ((output["counterparty"] = s5!(output["counterparty"])) === unread) return unread
      if ((output["counterparty_label"] = s6!(output["counterparty_label"])) === unread) return unread
      if ((output["transaction_hash"] = s7!(output["transaction_hash"])) === unread) return unread
      if ((output["transaction_index"] = s8!(output["transaction_index"])) === unread) return unread
      if ((output["log_index"] = s9!(output["log_index"])) === unread) return unread
      if ((output["movement_index"] = s10!(output["movement_index"])) === unread) return unread
      if ((output["block_number"] = s11!(output["block_number"])) === unread) return unread
      if ((output["block_hash"] = s12!(output["block_hash"])) === unread) return unread
      if ((output["block_timestamp"] = s13!(output["block_timestamp"])) === unread) return unread
      if ((output["failed"] = s14!(output["failed"])) === unread) return unread
      if ((output["incomplete"] = s15!(output["incomplete"])) === unread) return unread
      if ((output["roles"] = s16!(output["roles"])) === unread) return unread
      if (output["flags"] === undefined) isLacking = true
      else if ((output["flags"] = s17!(output["flags"])) === unread) return unread
      return isLacking ? lacking(output) : output
    },
}

export const Param: Unrolled = {
  read: ([s0, s1, s2], lacking) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      let isLacking = false
      if (output["name"] === undefined) isLacking = true
      else if ((output["name"] = s0!(output["name"])) === unread) return unread
      if ((output["value"] = s1!(output["value"])) === unread) return unread
      if ((output["type"] = s2!(output["type"])) === unread) return unread
      return isLacking ? lacking(output) : output
    },
  write: ([s0, s1, s2], lacking) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      let isLacking = false
      if (output["name"] === undefined) isLacking = true
      else if ((output["name"] = s0!(output["name"])) === unread) return unread
      if ((output["value"] = s1!(output["value"])) === unread) return unread
      if ((output["type"] = s2!(output["type"])) === unread) return unread
      return isLacking ? lacking(output) : output
    },
}

export const Receipt: Unrolled = {
  read: ([s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16, s17, s18, s19, s20, s21, s22, s23, s24, s25, s26, s27, s28, s29, s30, s31, s32, s33], lacking) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      let isLacking = false
      if ((output["transactionHash"] = s0!(output["transactionHash"])) === unread) return unread
      if ((output["transactionIndex"] = s1!(output["transactionIndex"])) === unread) return unread
      if ((output["blockHash"] = s2!(output["blockHash"])) === unread) return unread
      if ((output["blockNumber"] = s3!(output["blockNumber"])) === unread) return unread
      if (output["from"] === undefined) isLacking = true
      else if ((output["from"] = s4!(output["from"])) === unread) return unread
      if (output["to"] === undefined) isLacking = true
      else if ((output["to"] = s5!(output["to"])) === unread) return unread
      if ((output["cumulativeGasUsed"] = s6!(output["cumulativeGasUsed"])) === unread) return unread
      if ((output["gasUsed"] = s7!(output["gasUsed"])) === unread) return unread
      if (output["effectiveGasPrice"] === undefined) isLacking = true
      else if ((output["effectiveGasPrice"] = s8!(output["effectiveGasPrice"])) === unread) return unread
      if ((output["contractAddress"] = s9!(output["contractAddress"])) === unread) return unread
      if ((output["logs"] = s10!(output["logs"])) === unread) return unread
      if ((output["logsBloom"] = s11!(output["logsBloom"])) === unread) return unread
      if (output["status"] === undefined) isLacking = true
      else if ((output["status"] = s12!(output["status"])) === unread) return unread
      if (output["root"] === undefined) isLacking = true
      else if ((output["root"] = s13!(output["root"])) === unread) return unread
      if (output["type"] === undefined) isLacking = true
      else if ((output["type"] = s14!(output["type"])) === unread) return unread
      if (output["blockTimestamp"] === undefined) isLacking = true
      else if ((output["blockTimestamp"] = s15!(output["blockTimestamp"])) === unread) return unread
      if (output["blobGasUsed"] === undefined) isLacking = true
      else if ((output["blobGasUsed"] = s16!(output["blobGasUsed"])) === unread) return unread
      if (output["blobGasPrice"] === undefined) isLacking = true
      else if ((output["blobGasPrice"] = s17!(output["blobGasPrice"])) === unread) return unread
      if (output["gasUsedForL1"] === undefined) isLacking = true
      else if ((output["gasUsedForL1"] = s18!(output["gasUsedForL1"])) === unread) return unread
      if (output["l1BlockNumber"] === undefined) isLacking = true
      else if ((output["l1BlockNumber"] = s19!(output["l1BlockNumber"])) === unread) return unread
      if (output["timeboosted"] === undefined) isLacking = true
      else if ((output["timeboosted"] = s20!(output["timeboosted"])) === unread) return unread
      if (output["l1Fee"] === undefined) isLacking = true
      else if ((output["l1Fee"] = s21!(output["l1Fee"])) === unread) return unread
      if (output["l1GasPrice"] === undefined) isLacking = true
      else if ((output["l1GasPrice"] = s22!(output["l1GasPrice"])) === unread) return unread
      if (output["l1GasUsed"] === undefined) isLacking = true
      else if ((output["l1GasUsed"] = s23!(output["l1GasUsed"])) === unread) return unread
      if (output["l1FeeScalar"] === undefined) isLacking = true
      else if ((output["l1FeeScalar"] = s24!(output["l1FeeScalar"])) === unread) return unread
      if (output["l1BaseFeeScalar"] === undefined) isLacking = true
      else if ((output["l1BaseFeeScalar"] = s25!(output["l1BaseFeeScalar"])) === unread) return unread
      if (output["l1BlobBaseFee"] === undefined) isLacking = true
      else if ((output["l1BlobBaseFee"] = s26!(output["l1BlobBaseFee"])) === unread) return unread
      if (output["l1BlobBaseFeeScalar"] === undefined) isLacking = true
      else if ((output["l1BlobBaseFeeScalar"] = s27!(output["l1BlobBaseFeeScalar"])) === unread) return unread
      if (output["operatorFeeScalar"] === undefined) isLacking = true
      else if ((output["operatorFeeScalar"] = s28!(output["operatorFeeScalar"])) === unread) return unread
      if (output["operatorFeeConstant"] === undefined) isLacking = true
      else if ((output["operatorFeeConstant"] = s29!(output["operatorFeeConstant"])) === unread) return unread
      if (output["depositNonce"] === undefined) isLacking = true
      else if ((output["depositNonce"] = s30!(output["depositNonce"])) === unread) return unread
      if (output["depositReceiptVersion"] === undefined) isLacking = true
      else if ((output["depositReceiptVersion"] = s31!(output["depositReceiptVersion"])) === unread) return unread
      if (output["feeToken"] === undefined) isLacking = true
      else if ((output["feeToken"] = s32!(output["feeToken"])) === unread) return unread
      if (output["feePayer"] === undefined) isLacking = true
      else if ((output["feePayer"] = s33!(output["feePayer"])) === unread) return unread
      return isLacking ? lacking(output) : output
    },
  write: ([s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16, s17, s18, s19, s20, s21, s22, s23, s24, s25, s26, s27, s28, s29, s30, s31, s32, s33], lacking) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      let isLacking = false
      if ((output["transactionHash"] = s0!(output["transactionHash"])) === unread) return unread
      if ((output["transactionIndex"] = s1!(output["transactionIndex"])) === unread) return unread
      if ((output["blockHash"] = s2!(output["blockHash"])) === unread) return unread
      if ((output["blockNumber"] = s3!(output["blockNumber"])) === unread) return unread
      if (output["from"] === undefined) isLacking = true
      else if ((output["from"] = s4!(output["from"])) === unread) return unread
      if (output["to"] === undefined) isLacking = true
      else if ((output["to"] = s5!(output["to"])) === unread) return unread
      if ((output["cumulativeGasUsed"] = s6!(output["cumulativeGasUsed"])) === unread) return unread
      if ((output["gasUsed"] = s7!(output["gasUsed"])) === unread) return unread
      if (output["effectiveGasPrice"] === undefined) isLacking = true
      else if ((output["effectiveGasPrice"] = s8!(output["effectiveGasPrice"])) === unread) return unread
      if ((output["contractAddress"] = s9!(output["contractAddress"])) === unread) return unread
      if ((output["logs"] = s10!(output["logs"])) === unread) return unread
      if ((output["logsBloom"] = s11!(output["logsBloom"])) === unread) return unread
      if (output["status"] === undefined) isLacking = true
      else if ((output["status"] = s12!(output["status"])) === unread) return unread
      if (output["root"] === undefined) isLacking = true
      else if ((output["root"] = s13!(output["root"])) === unread) return unread
      if (output["type"] === undefined) isLacking = true
      else if ((output["type"] = s14!(output["type"])) === unread) return unread
      if (output["blockTimestamp"] === undefined) isLacking = true
      else if ((output["blockTimestamp"] = s15!(output["blockTimestamp"])) === unread) return unread
      if (output["blobGasUsed"] === undefined) isLacking = true
      else if ((output["blobGasUsed"] = s16!(output["blobGasUsed"])) === unread) return unread
      if (output["blobGasPrice"] === undefined) isLacking = true
      else if ((output["blobGasPrice"] = s17!(output["blobGasPrice"])) === unread) return unread
      if (output["gasUsedForL1"] === undefined) isLacking = true
      else if ((output["gasUsedForL1"] = s18!(output["gasUsedForL1"])) === unread) return unread
      if (output["l1BlockNumber"] === undefined) isLacking = true
      else if ((output["l1BlockNumber"] = s19!(output["l1BlockNumber"])) === unread) return unread
      if (output["timeboosted"] === undefined) isLacking = true
      else if ((output["timeboosted"] = s20!(output["timeboosted"])) === unread) return unread
      if (output["l1Fee"] === undefined) isLacking = true
      else if ((output["l1Fee"] = s21!(output["l1Fee"])) === unread) return unread
      if (output["l1GasPrice"] === undefined) isLacking = true
      else if ((output["l1GasPrice"] = s22!(output["l1GasPrice"])) === unread) return unread
      if (output["l1GasUsed"] === undefined) isLacking = true
      else if ((output["l1GasUsed"] = s23!(output["l1GasUsed"])) === unread) return unread
      if (output["l1FeeScalar"] === undefined) isLacking = true
      else if ((output["l1FeeScalar"] = s24!(output["l1FeeScalar"])) === unread) return unread
      if (output["l1BaseFeeScalar"] === undefined) isLacking = true
      else if ((output["l1BaseFeeScalar"] = s25!(output["l1BaseFeeScalar"])) === unread) return unread
      if (output["l1BlobBaseFee"] === undefined) isLacking = true
      else if ((output["l1BlobBaseFee"] = s26!(output["l1BlobBaseFee"])) === unread) return unread
      if (output["l1BlobBaseFeeScalar"] === undefined) isLacking = true
      else if ((output["l1BlobBaseFeeScalar"] = s27!(output["l1BlobBaseFeeScalar"])) === unread) return unread
      if (output["operatorFeeScalar"] === undefined) isLacking = true
      else if ((output["operatorFeeScalar"] = s28!(output["operatorFeeScalar"])) === unread) return unread
      if (output["operatorFeeConstant"] === undefined) isLacking = true
      else if ((output["operatorFeeConstant"] = s29!(output["operatorFeeConstant"])) === unread) return unread
      if (output["depositNonce"] === undefined) isLacking = true
      else if ((output["depositNonce"] = s30!(output["depositNonce"])) === unread) return unread
      if (output["depositReceiptVersion"] === undefined) isLacking = true
      else if ((output["depositReceiptVersion"] = s31!(output["depositReceiptVersion"])) === unread) return unread
      if (output["feeToken"] === undefined) isLacking = true
      else if ((output["feeToken"] = s32!(output["feeToken"])) === unread) return unread
      if (output["feePayer"] === undefined) isLacking = true
      else if ((output["feePayer"] = s33!(output["feePayer"])) === unread) return unread
      return isLacking ? lacking(output) : output
    },
}

export const ReceiptLog: Unrolled = {
  read: ([s0, s1, s2, s3, s4, s5, s6, s7, s8, s9], lacking) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      let isLacking = false
      if ((output["address"] = s0!(output["address"])) === unread) return unread
      if ((output["topics"] = s1!(output["topics"])) === unread) return unread
      if ((output["data"] = s2!(output["data"])) === unread) return unread
      if (output["blockNumber"] === undefined) isLacking = true
      else if ((output["blockNumber"] = s3!(output["blockNumber"])) === unread) return unread
      if (output["blockHash"] === undefined) isLacking = true
      else if ((output["blockHash"] = s4!(output["blockHash"])) === unread) return unread
      if (output["blockTimestamp"] === undefined) isLacking = true
      else if ((output["blockTimestamp"] = s5!(output["blockTimestamp"])) === unread) return unread
      if ((output["transactionHash"] = s6!(output["transactionHash"])) === unread) return unread
      if ((output["transactionIndex"] = s7!(output["transactionIndex"])) === unread) return unread
      if ((output["logIndex"] = s8!(output["logIndex"])) === unread) return unread
      if (output["removed"] === undefined) isLacking = true
      else if ((output["removed"] = s9!(output["removed"])) === unread) return unread
      return isLacking ? lacking(output) : output
    },
  write: ([s0, s1, s2, s3, s4, s5, s6, s7, s8, s9], lacking) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      let isLacking = false
      if ((output["address"] = s0!(output["address"])) === unread) return unread
      if ((output["topics"] = s1!(output["topics"])) === unread) return unread
      if ((output["data"] = s2!(output["data"])) === unread) return unread
      if (output["blockNumber"] === undefined) isLacking = true
      else if ((output["blockNumber"] = s3!(output["blockNumber"])) === unread) return unread
      if (output["blockHash"] === undefined) isLacking = true
      else if ((output["blockHash"] = s4!(output["blockHash"])) === unread) return unread
      if (output["blockTimestamp"] === undefined) isLacking = true
      else if ((output["blockTimestamp"] = s5!(output["blockTimestamp"])) === unread) return unread
      if ((output["transactionHash"] = s6!(output["transactionHash"])) === unread) return unread
      if ((output["transactionIndex"] = s7!(output["transactionIndex"])) === unread) return unread
      if ((output["logIndex"] = s8!(output["logIndex"])) === unread) return unread
      if (output["removed"] === undefined) isLacking = true
      else if ((output["removed"] = s9!(output["removed"])) === unread) return unread
      return isLacking ? lacking(output) : output
    },
}

export const SetCode: Unrolled = {
  read: ([s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16, s17, s18, s19, s20, s21], lacking) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      let isLacking = false
      if (output["blockHash"] === undefined) isLacking = true
      else if ((output["blockHash"] = s0!(output["blockHash"])) === unread) return unread
      if (output["blockNumber"] === undefined) isLacking = true
      else if ((output["blockNumber"] = s1!(output["blockNumber"])) === unread) return unread
      if (output["transactionIndex"] === undefined) isLacking = true
      else if ((output["transactionIndex"] = s2!(output["transactionIndex"])) === unread) return unread
      if (output["blockTimestamp"] === undefined) isLacking = true
      else if ((output["blockTimestamp"] = s3!(output["blockTimestamp"])) === unread) return unread
      if ((output["hash"] = s4!(output["hash"])) === unread) return unread
      if ((output["from"] = s5!(output["from"])) === unread) return unread
      if ((output["to"] = s6!(output["to"])) === unread) return unread
      if ((output["value"] = s7!(output["value"])) === unread) return unread
      if ((output["input"] = s8!(output["input"])) === unread) return unread
      if ((output["gas"] = s9!(output["gas"])) === unread) return unread
      if ((output["nonce"] = s10!(output["nonce"])) === unread) return unread
      if ((output["v"] = s11!(output["v"])) === unread) return unread
      if ((output["r"] = s12!(output["r"])) === unread) return unread
      if ((output["s"] = s13!(output["s"])) === unread) return unread
      if (output["yParity"] === undefined) isLacking = true
      else if ((output["yParity"] = s14!(output["yParity"])) === unread) return unread
      if (output["gasPrice"] === undefined) isLacking = true
      else if ((output["gasPrice"] = s15!(output["gasPrice"])) === unread) return unread
      if ((output["maxFeePerGas"] = s16!(output["maxFeePerGas"])) === unread) return unread
      if ((output["maxPriorityFeePerGas"] = s17!(output["maxPriorityFeePerGas"])) === unread) return unread
      if ((output["chainId"] = s18!(output["chainId"])) === unread) return unread
      if (output["accessList"] === undefined) isLacking = true
      else if ((output["accessList"] = s19!(output["accessList"])) === unread) return unread
      if ((output["type"] = s20!(output["type"])) === unread) return unread
      if ((output["authorizationList"] = s21!(output["authorizationList"])) === unread) return unread
      return isLacking ? lacking(output) : output
    },
  write: ([s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16, s17, s18, s19, s20, s21], lacking) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      let isLacking = false
      if (output["blockHash"] === undefined) isLacking = true
      else if ((output["blockHash"] = s0!(output["blockHash"])) === unread) return unread
      if (output["blockNumber"] === undefined) isLacking = true
      else if ((output["blockNumber"] = s1!(output["blockNumber"])) === unread) return unread
      if (output["transactionIndex"] === undefined) isLacking = true
      else if ((output["transactionIndex"] = s2!(output["transactionIndex"])) === unread) return unread
      if (output["blockTimestamp"] === undefined) isLacking = true
      else if ((output["blockTimestamp"] = s3!(output["blockTimestamp"])) === unread) return unread
      if ((output["hash"] = s4!(output["hash"])) === unread) return unread
      if ((output["from"] = s5!(output["from"])) === unread) return unread
      if ((output["to"] = s6!(output["to"])) === unread) return unread
      if ((output["value"] = s7!(output["value"])) === unread) return unread
      if ((output["input"] = s8!(output["input"])) === unread) return unread
      if ((output["gas"] = s9!(output["gas"])) === unread) return unread
      if ((output["nonce"] = s10!(output["nonce"])) === unread) return unread
      if ((output["v"] = s11!(output["v"])) === unread) return unread
      if ((output["r"] = s12!(output["r"])) === unread) return unread
      if ((output["s"] = s13!(output["s"])) === unread) return unread
      if (output["yParity"] === undefined) isLacking = true
      else if ((output["yParity"] = s14!(output["yParity"])) === unread) return unread
      if (output["gasPrice"] === undefined) isLacking = true
      else if ((output["gasPrice"] = s15!(output["gasPrice"])) === unread) return unread
      if ((output["maxFeePerGas"] = s16!(output["maxFeePerGas"])) === unread) return unread
      if ((output["maxPriorityFeePerGas"] = s17!(output["maxPriorityFeePerGas"])) === unread) return unread
      if ((output["chainId"] = s18!(output["chainId"])) === unread) return unread
      if (output["accessList"] === undefined) isLacking = true
      else if ((output["accessList"] = s19!(output["accessList"])) === unread) return unread
      if ((output["type"] = s20!(output["type"])) === unread) return unread
      if ((output["authorizationList"] = s21!(output["authorizationList"])) === unread) return unread
      return isLacking ? lacking(output) : output
    },
}

export const WalletTransaction: Unrolled = {
  read: ([s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16, s17, s18, s19, s20, s21, s22, s23], lacking) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      let isLacking = false
      if ((output["hash"] = s0!(output["hash"])) === unread) return unread
      if ((output["nonce"] = s1!(output["nonce"])) === unread) return unread
      if ((output["transaction_index"] = s2!(output["transaction_index"])) === unread) return unread
      if ((output["from_address"] = s3!(output["from_address"])) === unread) return unread
      if (output["to_address"] === undefined) isLacking = true
      else if ((output["to_address"] = s4!(output["to_address"])) === unread) return unread
      if ((output["value"] = s5!(output["value"])) === unread) return unread
      if ((output["gas"] = s6!(output["gas"])) === unread) return unread
      if ((output["gas_price"] = s7!(output["gas_price"])) === unread) return unread
      if ((output["input"] = s8!(output["input"])) === unread) return unread
      if ((output["receipt_cumulative_gas_used"] = s9!(output["receipt_cumulative_gas_used"])) === unread) return unread
      if ((output["receipt_gas_used"] = s10!(output["receipt_gas_used"])) === unread) return unread
      if (output["receipt_contract_address"] === undefined) isLacking = true
      else if ((output["receipt_contract_address"] = s11!(output["receipt_contract_address"])) === unread) return unread
      if (output["receipt_root"] === undefined) isLacking = true
      else if ((output["receipt_root"] = s12!(output["receipt_root"])) === unread) return unread
      if (output["receipt_status"] === undefined) isLacking = true
      else if ((output["receipt_status"] = s13!(output["receipt_status"])) === unread) return unread
      if ((output["block_timestamp"] = s14!(output["block_timestamp"])) === unread) return unread
      if ((output["block_number"] = s15!(output["block_number"])) === unread) return unread
      if ((output["block_hash"] = s16!(output["block_hash"])) === unread) return unread
      if ((output["logs"] = s17!(output["logs"])) === unread) return unread
      if (output["decoded_call"] === undefined) isLacking = true
      else if ((output["decoded_call"] = s18!(output["decoded_call"])) === unread) return unread
      if (output["from_address_label"] === undefined) isLacking = true
      else if ((output["from_address_label"] = s19!(output["from_address_label"])) === unread) return unread
      if (output["to_address_label"] === undefined) isLacking = true
      else if ((output["to_address_label"] = s20!(output["to_address_label"])) === unread) return unread
      if (output["internal_transactions"] === undefined) isLacking = true
      else if ((output["internal_transactions"] = s21!(output["internal_transactions"])) === unread) return unread
      if (output["roles"] === undefined) isLacking = true
      else if ((output["roles"] = s22!(output["roles"])) === unread) return unread
      if (output["user_operations"] === undefined) isLacking = true
      else if ((output["user_operations"] = s23!(output["user_operations"])) === unread) return unread
      return isLacking ? lacking(output) : output
    },
  write: ([s0, s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13, s14, s15, s16, s17, s18, s19, s20, s21, s22, s23], lacking) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      let isLacking = false
      if ((output["hash"] = s0!(output["hash"])) === unread) return unread
      if ((output["nonce"] = s1!(output["nonce"])) === unread) return unread
      if ((output["transaction_index"] = s2!(output["transaction_index"])) === unread) return unread
      if ((output["from_address"] = s3!(output["from_address"])) === unread) return unread
      if (output["to_address"] === undefined) isLacking = true
      else if ((output["to_address"] = s4!(output["to_address"])) === unread) return unread
      if ((output["value"] = s5!(output["value"])) === unread) return unread
      if ((output["gas"] = s6!(output["gas"])) === unread) return unread
      if ((output["gas_price"] = s7!(output["gas_price"])) === unread) return unread
      if ((output["input"] = s8!(output["input"])) === unread) return unread
      if ((output["receipt_cumulative_gas_used"] = s9!(output["receipt_cumulative_gas_used"])) === unread) return unread
      if ((output["receipt_gas_used"] = s10!(output["receipt_gas_used"])) === unread) return unread
      if (output["receipt_contract_address"] === undefined) isLacking = true
      else if ((output["receipt_contract_address"] = s11!(output["receipt_contract_address"])) === unread) return unread
      if (output["receipt_root"] === undefined) isLacking = true
      else if ((output["receipt_root"] = s12!(output["receipt_root"])) === unread) return unread
      if (output["receipt_status"] === undefined) isLacking = true
      else if ((output["receipt_status"] = s13!(output["receipt_status"])) === unread) return unread
      if ((output["block_timestamp"] = s14!(output["block_timestamp"])) === unread) return unread
      if ((output["block_number"] = s15!(output["block_number"])) === unread) return unread
      if ((output["block_hash"] = s16!(output["block_hash"])) === unread) return unread
      if ((output["logs"] = s17!(output["logs"])) === unread) return unread
      if (output["decoded_call"] === undefined) isLacking = true
      else if ((output["decoded_call"] = s18!(output["decoded_call"])) === unread) return unread
      if (output["from_address_label"] === undefined) isLacking = true
      else if ((output["from_address_label"] = s19!(output["from_address_label"])) === unread) return unread
      if (output["to_address_label"] === undefined) isLacking = true
      else if ((output["to_address_label"] = s20!(output["to_address_label"])) === unread) return unread
      if (output["internal_transactions"] === undefined) isLacking = true
      else if ((output["internal_transactions"] = s21!(output["internal_transactions"])) === unread) return unread
      if (output["roles"] === undefined) isLacking = true
      else if ((output["roles"] = s22!(output["roles"])) === unread) return unread
      if (output["user_operations"] === undefined) isLacking = true
      else if ((output["user_operations"] = s23!(output["user_operations"])) === unread) return unread
      return isLacking ? lacking(output) : output
    },
}

export const Withdrawal: Unrolled = {
  read: ([s0, s1, s2, s3]) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      if ((output["index"] = s0!(output["index"])) === unread) return unread
      if ((output["validatorIndex"] = s1!(output["validatorIndex"])) === unread) return unread
      if ((output["address"] = s2!(output["address"])) === unread) return unread
      if ((output["amount"] = s3!(output["amount"])) === unread) return unread
      return output
    },
  write: ([s0, s1, s2, s3]) => (input) => {
      if (!isObject(input)) return unread
      const output = { ...input }
      if ((output["index"] = s0!(output["index"])) === unread) return unread
      if ((output["validatorIndex"] = s1!(output["validatorIndex"])) === unread) return unread
      if ((output["address"] = s2!(output["address"])) === unread) return unread
      if ((output["amount"] = s3!(output["amount"])) === unread) return unread
      return output
    },
}
