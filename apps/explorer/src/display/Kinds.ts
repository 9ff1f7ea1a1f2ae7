/** Kinds of movements as people call them. Pure. */

const names: ReadonlyMap<string, string> = new Map([
  ["value", "ether"],
  ["erc20", "ERC-20"],
  ["erc721", "ERC-721"],
  ["erc1155", "ERC-1155"],
])

/** The name of a kind; one that is not known is written without underscores. */
export const formatKind = (kind: string): string => names.get(kind) ?? kind.replaceAll("_", " ")
