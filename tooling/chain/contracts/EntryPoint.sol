// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// Carries out user operations and logs what an entry point of ERC-4337 logs. It verifies no signature and holds no deposits.
contract EntryPoint {
    struct Operation {
        address sender;
        address paymaster;
        address factory;
        uint256 nonce;
        uint256 cost;
        bytes callData;
    }

    event BeforeExecution();
    event AccountDeployed(bytes32 indexed userOpHash, address indexed sender, address factory, address paymaster);
    event UserOperationRevertReason(
        bytes32 indexed userOpHash, address indexed sender, uint256 nonce, bytes revertReason
    );
    event UserOperationEvent(
        bytes32 indexed userOpHash,
        address indexed sender,
        address indexed paymaster,
        uint256 nonce,
        bool success,
        uint256 actualGasCost,
        uint256 actualGasUsed
    );

    receive() external payable {}

    function hashOf(Operation calldata operation) public view returns (bytes32) {
        return keccak256(abi.encode(operation, address(this), block.chainid));
    }

    function handleOps(Operation[] calldata operations, address payable beneficiary) external {
        uint256 collected = 0;
        for (uint256 at = 0; at < operations.length; at++) {
            Operation calldata operation = operations[at];
            if (operation.factory == address(0)) continue;
            emit AccountDeployed(hashOf(operation), operation.sender, operation.factory, operation.paymaster);
        }
        emit BeforeExecution();
        for (uint256 at = 0; at < operations.length; at++) {
            execute(operations[at]);
            collected += operations[at].cost;
        }
        (bool isPaid,) = beneficiary.call{value: collected}("");
        require(isPaid, "EntryPoint: not paid");
    }

    function execute(Operation calldata operation) private {
        bytes32 userOpHash = hashOf(operation);
        uint256 before = gasleft();
        (bool success, bytes memory result) = operation.sender.call(operation.callData);
        if (!success) emit UserOperationRevertReason(userOpHash, operation.sender, operation.nonce, result);
        emit UserOperationEvent(
            userOpHash,
            operation.sender,
            operation.paymaster,
            operation.nonce,
            success,
            operation.cost,
            before - gasleft()
        );
    }
}
