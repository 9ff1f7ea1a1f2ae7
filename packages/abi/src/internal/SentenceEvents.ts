/** Events by which the sentence templates recognise what a transaction did. */

/** The zero address, from which tokens are minted and to which they are burned. */
export const zero: string = `0x${"0".repeat(40)}`

/** Topics of the events that templates look for. */
export const topics = {
  /** ERC-20 and ERC-721. */
  approval: "0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925",
  approvalForAll: "0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31",
  /** WETH9: deposit (wrapped), and withdrawal (unwrapped). */
  wrapped: "0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c",
  unwrapped: "0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65",
  /** ERC-4337. */
  userOperation: "0x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f",
  /** Governor of OpenZeppelin and Compound; ERC-5805. */
  voteCast: "0xb8e138887d0aa13bab447e82de9d5c1777041ecd21ca36ba824ff1e6c07ddda4",
  delegateChanged: "0x3134e8a2e6d97e929a7e54011ea5485d7d196dd5f0ba4d4ef95803e8e3fc257f",
  /** Pools of Aave V3 and V2, and their forks. */
  borrowed: "0xb3d084820fb1a9decffb176436bd02558d15fac9b0ddfed8c465bc7359d7dce0",
  borrowedEarlier: "0xc6a898309e823ee50bac64e45ca8adba6690e99e7841c45d754e2a38e9019d9b",
  repaid: "0xa534c8dbe71f871f9f3530e97a74601fea17b426cae02e1c5aee42c96c784051",
  repaidEarlier: "0x4cdde6e09bb755c9a5589ebaec640bbfedff1362d4b255ebf8339782b9942faa",
  /** Positions of Uniswap V3: liquidity was increased. */
  increased: "0x3067048beee31b25b2f1681f88dac838c8bba36af25bfb2b7cf7473a5847e35f",
  /** Seaport: an item was sold. */
  orderFulfilled: "0x9d9af8e38d66c62e2c12f0225249fd9d721c54b83f48d9352c97c6cacdcb6f31",
  /** Standard bridge of the OP Stack: a token or ether arrived. Its messenger: a message leaves. */
  tokenArrived: "0xb0444523268717a02698be47d0803aa7468c00acbed2f8bd93a0459cde61dd89",
  etherArrived: "0x31b2166ff604fc5672ea5df08a78081d2bc6d746cadce880747f3643d819e83d",
  sentMessage: "0xcb0f7ffd78f9aee47a248fae8db181db6eee833039123e026dcbff529522e52a",
} as const

/** Contracts at fixed addresses: the messenger and bridge of the OP Stack, and the system contract of Arbitrum. */
export const predeploys = {
  messenger: "0x4200000000000000000000000000000000000007",
  bridge: "0x4200000000000000000000000000000000000010",
  arbSys: "0x0000000000000000000000000000000000000064",
} as const

/**
 * Wrapped native currencies, which pay out exactly what they log: Ethereum, OP Stack, Gnosis, Polygon, Arbitrum, BNB Chain, Avalanche,
 * Monad.
 */
export const wrappedCurrencies: ReadonlySet<string> = new Set([
  "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
  "0x4200000000000000000000000000000000000006",
  "0xe91d153e0b41518a2ce8dd3d7944fa863463a97d",
  "0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270",
  "0x82af49447d8a07e3bd95bd0d56f35241523fbab1",
  "0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c",
  "0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7",
  "0x3bd359c1119da7da1d913d1c4d2b7c461115433a",
])

/** The account that collects the fees of Tempo, which are paid in tokens and logged as transfers. */
export const feeCollector: string = `0xfeec${"0".repeat(36)}`

/** Events of exchanges. */
export const swapTopics: ReadonlySet<string> = new Set([
  // Uniswap V2, V3 and V4.
  "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822",
  "0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67",
  "0x40e9cecb9f5f1f1c5b9c97dec2917b7ee92e57ba5563708daca94dd84ad7112f",
  // Curve: by indexes of coins, by indexes of underlying coins, and for pools with other types.
  "0x8b3e96f2b889fa771c53c981b40daf005f63f637f1869f707052d15a3dd97140",
  "0xd013ca23e77a65003c2c659c5442c00c805371b7fc1ebd4c206c41d1536bd90b",
  "0xb2e76ae99761dc136e598d4a629bb347eccb9532a5f8bbd72e18467c3c34cc98",
  "0x143f1f8e861fbdeddd5b46e844b7d3ac7b86a122f36e8c463859ee6811b1f29c",
  // Balancer V2.
  "0x2170c741c41531aec20e7c107c24eecfdd15e69c9bb0a8dd37b1840b9e0b207b",
  // Velodrome V2, and PancakeSwap V3.
  "0xb3e2773606abfd36b5bd91394b3a54d1398336c65005baf7bf7a05efeffaf75b",
  "0x19b47279256b2a23a1665c810c8d55a1758940ee09377d4f8d26497a3577dc83",
  // CoW Protocol, and 0x.
  "0xa07a543ab8a018198e99ca0184c93fe9050a79400a0a723441f84de1d972cc17",
  "0x0f6672f78a59ba8e5e5b5d38df3ebc67f3c792e2c9259b8d97d7f00dd78ba1b3",
])

/** Events of pools when liquidity is added: Uniswap V2, V3 and V4, and positions of V3. */
export const liquidityTopics: ReadonlySet<string> = new Set([
  "0x4c209b5fc8ad50758f13e2e1088ba56a560dff690a1c6fef26394f4c03821c4f",
  "0x7a53080ba414158be7ec69b987b5fb7d07dee101fe85488f0853ae16239d0bde",
  "0xf208f4912782fd25c7f114ca3723a2d5dd6f3bcc3ac8db5af63baa85f711d5ec",
  "0x3067048beee31b25b2f1681f88dac838c8bba36af25bfb2b7cf7473a5847e35f",
])

/** An address in a topic. */
export const addressIn = (topic: string | undefined): string => `0x${(topic ?? "").slice(-40)}`
