/**
 * Signatures of calls that carry other calls or payments: multicalls, multisends, Safe accounts, account abstraction.
 * The calls inside stay bytes. Data only; adding one is adding a line.
 */

/**
 * Known events and functions of batches and smart accounts.
 *
 * @category fields
 * @since 0.1.0
 */
export const batch: ReadonlyArray<string> = [
  "function multicall(bytes[] data)",
  "function multicall(uint256 deadline, bytes[] data)",
  "function multicall(bytes32 previousBlockhash, bytes[] data)",
  "function aggregate((address target, bytes callData)[] calls)",
  "function blockAndAggregate((address target, bytes callData)[] calls)",
  "function tryAggregate(bool requireSuccess, (address target, bytes callData)[] calls)",
  "function tryBlockAndAggregate(bool requireSuccess, (address target, bytes callData)[] calls)",
  "function aggregate3((address target, bool allowFailure, bytes callData)[] calls)",
  "function aggregate3Value((address target, bool allowFailure, uint256 value, bytes callData)[] calls)",

  "function multiSend(bytes transactions)",
  "function multisend(address[] recipients, uint256[] amounts)",
  "function disperseEther(address[] recipients, uint256[] values)",
  "function disperseToken(address token, address[] recipients, uint256[] values)",
  "function disperseTokenSimple(address token, address[] recipients, uint256[] values)",

  "function setup(address[] owners, uint256 threshold, address to, bytes data, address fallbackHandler, address paymentToken, uint256 payment, address paymentReceiver)",
  "function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)",
  "function execTransactionFromModule(address to, uint256 value, bytes data, uint8 operation)",
  "function execTransactionFromModuleReturnData(address to, uint256 value, bytes data, uint8 operation)",
  "function approveHash(bytes32 hashToApprove)",
  "function addOwnerWithThreshold(address owner, uint256 threshold)",
  "function removeOwner(address prevOwner, address owner, uint256 threshold)",
  "function swapOwner(address prevOwner, address oldOwner, address newOwner)",
  "function changeThreshold(uint256 threshold)",
  "function enableModule(address module)",
  "function disableModule(address prevModule, address module)",
  "function createProxyWithNonce(address singleton, bytes initializer, uint256 saltNonce)",
  "event ProxyCreation(address indexed proxy, address singleton)",
  "event ProxyCreation(address proxy, address singleton)",
  "event SafeSetup(address indexed initiator, address[] owners, uint256 threshold, address initializer, address fallbackHandler)",
  "event SafeReceived(address indexed sender, uint256 value)",
  "event ExecutionSuccess(bytes32 indexed txHash, uint256 payment)",
  "event ExecutionSuccess(bytes32 txHash, uint256 payment)",
  "event ExecutionFailure(bytes32 indexed txHash, uint256 payment)",
  "event ExecutionFailure(bytes32 txHash, uint256 payment)",
  "event ExecutionFromModuleSuccess(address indexed module)",
  "event ExecutionFromModuleFailure(address indexed module)",
  "event ApproveHash(bytes32 indexed approvedHash, address indexed owner)",
  "event AddedOwner(address indexed owner)",
  "event AddedOwner(address owner)",
  "event RemovedOwner(address indexed owner)",
  "event RemovedOwner(address owner)",
  "event ChangedThreshold(uint256 threshold)",
  "event EnabledModule(address indexed module)",
  "event EnabledModule(address module)",
  "event DisabledModule(address indexed module)",
  "event DisabledModule(address module)",

  "function execute(address target, uint256 value, bytes data)",
  "function execute(bytes32 mode, bytes executionCalldata)",
  "function execute((address target, uint256 value, bytes data)[] calls)",
  "function executeBatch(address[] targets, bytes[] datas)",
  "function executeBatch(address[] targets, uint256[] values, bytes[] datas)",
  "function executeBatch((address target, uint256 value, bytes data)[] calls)",
  "function handleOps((address sender, uint256 nonce, bytes initCode, bytes callData, uint256 callGasLimit, uint256 verificationGasLimit, uint256 preVerificationGas, uint256 maxFeePerGas, uint256 maxPriorityFeePerGas, bytes paymasterAndData, bytes signature)[] ops, address beneficiary)",
  "function handleOps((address sender, uint256 nonce, bytes initCode, bytes callData, bytes32 accountGasLimits, uint256 preVerificationGas, bytes32 gasFees, bytes paymasterAndData, bytes signature)[] ops, address beneficiary)",
  "function createAccount(address owner, uint256 salt)",
  "event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)",
  "event UserOperationRevertReason(bytes32 indexed userOpHash, address indexed sender, uint256 nonce, bytes revertReason)",
  "event AccountDeployed(bytes32 indexed userOpHash, address indexed sender, address factory, address paymaster)",
  "event BeforeExecution()",
  "event Deposited(address indexed account, uint256 totalDeposit)",
  "event Withdrawn(address indexed account, address withdrawAddress, uint256 amount)",
]
