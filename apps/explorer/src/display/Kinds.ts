/** Display names of the kinds of movements. Pure. */

const names: ReadonlyMap<string, string> = new Map([
  ["value", "ether"],
  ["erc20", "ERC-20"],
  ["erc721", "ERC-721"],
  ["erc1155", "ERC-1155"],
])

/** The display name of a kind. An unknown kind is shown with spaces for underscores. */
export const formatKind = (kind: string): string => names.get(kind) ?? kind.replaceAll("_", " ")
