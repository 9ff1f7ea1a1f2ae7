/**
 * Errors of standards and of widespread libraries, which contracts revert with. They are decoded for display only, and are not part of
 * stored rows.
 *
 * Source: ERC-6093; OpenZeppelin Contracts 5.
 */
import * as Result from "effect/Result"
import * as Signature from "./Signature.ts"

/** One line each, written as a function, because error data is encoded like a call. */
const lines: ReadonlyArray<string> = [
  "Error(string reason)",
  "Panic(uint256 code)",
  // ERC-6093
  "ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)",
  "ERC20InvalidSender(address sender)",
  "ERC20InvalidReceiver(address receiver)",
  "ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed)",
  "ERC20InvalidApprover(address approver)",
  "ERC20InvalidSpender(address spender)",
  "ERC721InvalidOwner(address owner)",
  "ERC721NonexistentToken(uint256 tokenId)",
  "ERC721IncorrectOwner(address sender, uint256 tokenId, address owner)",
  "ERC721InvalidSender(address sender)",
  "ERC721InvalidReceiver(address receiver)",
  "ERC721InsufficientApproval(address operator, uint256 tokenId)",
  "ERC721InvalidApprover(address approver)",
  "ERC721InvalidOperator(address operator)",
  "ERC1155InsufficientBalance(address sender, uint256 balance, uint256 needed, uint256 tokenId)",
  "ERC1155InvalidSender(address sender)",
  "ERC1155InvalidReceiver(address receiver)",
  "ERC1155MissingApprovalForAll(address operator, address owner)",
  "ERC1155InvalidApprover(address approver)",
  "ERC1155InvalidOperator(address operator)",
  "ERC1155InvalidArrayLength(uint256 idsLength, uint256 valuesLength)",
  // OpenZeppelin Contracts 5
  "OwnableUnauthorizedAccount(address account)",
  "OwnableInvalidOwner(address owner)",
  "AccessControlUnauthorizedAccount(address account, bytes32 neededRole)",
  "AccessControlBadConfirmation()",
  "AddressEmptyCode(address target)",
  "AddressInsufficientBalance(address account)",
  "FailedInnerCall()",
  "FailedCall()",
  "EnforcedPause()",
  "ExpectedPause()",
  "InvalidInitialization()",
  "NotInitializing()",
  "ReentrancyGuardReentrantCall()",
  "SafeERC20FailedOperation(address token)",
  "UUPSUnauthorizedCallContext()",
  "ERC1967InvalidImplementation(address implementation)",
  "ECDSAInvalidSignature()",
  "ERC2612ExpiredSignature(uint256 deadline)",
  "ERC2612InvalidSigner(address signer, address owner)",
  "InvalidAccountNonce(address account, uint256 currentNonce)",
]

/** All standard errors. */
export const all: ReadonlyArray<Signature.Signature> = lines.map((line) =>
  Result.getOrThrow(Signature.fromText(`function ${line}`)),
)
