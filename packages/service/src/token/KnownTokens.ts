/**
 * Tokens that others imitate, by the EIP-155 id of their chain: each symbol with its legitimate contracts, including those previously
 * issued under it by a bridge. Unlisted tokens are not judged.
 *
 * Source: documents of the issuers; block explorers of the chains.
 */

/** Contracts by symbol, in lower case. */
export type Symbols = Readonly<Record<string, ReadonlyArray<string>>>

const byChain: Readonly<Record<number, Symbols>> = {
  1: {
    USDC: ["0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48"],
    USDT: ["0xdac17f958d2ee523a2206206994597c13d831ec7"],
    DAI: ["0x6b175474e89094c44da98b954eedeac495271d0f"],
    WETH: ["0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2"],
    WBTC: ["0x2260fac5e5542a773aa44fbcfedf7c193bc2c599"],
    LINK: ["0x514910771af9ca656af840dff83e8264ecf986ca"],
    UNI: ["0x1f9840a85d5af5bf1d1762f925bdaddc4201f984"],
    AAVE: ["0x7fc66500c84a76ad7e9c93437bfc5ac33e2ddae9"],
    SHIB: ["0x95ad61b0a150d79219dcf64e1e6cc01f0b64c4ce"],
    PEPE: ["0x6982508145454ce325ddbe47a25d4ec3d2311933"],
    PYUSD: ["0x6c3ea9036406852006290770bedfcaba0e23a0e8"],
    USDS: ["0xdc035d45d973e3ec169d2276ddab16f1e407384f"],
    YFI: ["0x0bc529c00c6401aef6d220be8c6ea1667f6ad93e"],
  },
  10: {
    USDC: ["0x0b2c639c533813f4aa9d7837caf62653d097ff85", "0x7f5c764cbc14f9669b88837ca1490cca17c31607"],
    USDT: ["0x94b008aa00579c1307b0ef2c499ad98a8ce58e58"],
    DAI: ["0xda10009cbd5d07dd0cecc66161fc93d7c9000da1"],
    WETH: ["0x4200000000000000000000000000000000000006"],
    WBTC: ["0x68f180fcce6836688e9084f035309e29bf0a2095"],
    OP: ["0x4200000000000000000000000000000000000042"],
  },
  56: {
    USDC: ["0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d"],
    USDT: ["0x55d398326f99059ff775485246999027b3197955"],
    DAI: ["0x1af3f329e8be154074d8769d1ffa4ee058b1dbc3"],
    BUSD: ["0xe9e7cea3dedca5984780bafc599bd69add087d56"],
    WBNB: ["0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c"],
  },
  137: {
    USDC: ["0x3c499c542cef5e3811e1192ce70d8cc03d5c3359", "0x2791bca1f2de4661ed88a30c99a7a9449aa84174"],
    USDT: ["0xc2132d05d31c914a87c6611c10748aeb04b58e8f"],
    DAI: ["0x8f3cf7ad23cd3cadbd9735aff958023239c6a063"],
    WETH: ["0x7ceb23fd6bc0add59e62ac25578270cff1b9f619"],
    WBTC: ["0x1bfd67037b42cf73acf2047067bd4f2c47d9bfd6"],
  },
  8453: {
    USDC: ["0x833589fcd6edb6e08f4c7c32d4f71b54bda02913"],
    DAI: ["0x50c5725949a6f0c72e6c4a641f24049a917db0cb"],
    WETH: ["0x4200000000000000000000000000000000000006"],
    EURC: ["0x60a3e35cc302bfa44cb288bc5a4f316fdb1adb42"],
  },
  42161: {
    USDC: ["0xaf88d065e77c8cc2239327c5edb3a432268e5831", "0xff970a61a04b1ca14834a43f5de4533ebddb5cc8"],
    USDT: ["0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9"],
    DAI: ["0xda10009cbd5d07dd0cecc66161fc93d7c9000da1"],
    WETH: ["0x82af49447d8a07e3bd95bd0d56f35241523fbab1"],
    WBTC: ["0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f"],
    ARB: ["0x912ce59144191c1204e64559fe8253a0e49e6548"],
  },
  43114: {
    USDC: ["0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e"],
    USDT: ["0x9702230a8ea53601f5cd2dc00fdbc13d4df4a8c7"],
    WAVAX: ["0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7"],
  },
}

/** The tokens of a chain; empty for an unlisted chain. */
export const ofChain = (chainId: number): Symbols => byChain[chainId] ?? {}
