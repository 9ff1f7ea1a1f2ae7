// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// Sends ether to many recipients in one transaction.
contract Multisend {
    event Sent(address indexed recipient, uint256 amount);

    function multisend(address[] calldata recipients, uint256[] calldata amounts) external payable {
        require(recipients.length == amounts.length, "Multisend: length mismatch");
        for (uint256 i; i < recipients.length; i++) {
            (bool sent,) = recipients[i].call{value: amounts[i]}("");
            require(sent, "Multisend: transfer failed");
            emit Sent(recipients[i], amounts[i]);
        }
    }
}

/// Makes several calls in one transaction, by aggregate and by multicall.
contract Multicall {
    struct Call {
        address target;
        bytes callData;
    }

    uint256 public notes;

    event Noted(address indexed author, uint256 count, string text);

    function aggregate(Call[] calldata calls) external payable returns (uint256 blockNumber, bytes[] memory returnData) {
        blockNumber = block.number;
        returnData = new bytes[](calls.length);
        for (uint256 i; i < calls.length; i++) {
            (bool success, bytes memory result) = calls[i].target.call(calls[i].callData);
            require(success, "Multicall: call failed");
            returnData[i] = result;
        }
    }

    function multicall(bytes[] calldata data) external payable returns (bytes[] memory results) {
        results = new bytes[](data.length);
        for (uint256 i; i < data.length; i++) {
            (bool success, bytes memory result) = address(this).delegatecall(data[i]);
            require(success, "Multicall: call failed");
            results[i] = result;
        }
    }

    function note(string calldata text) external {
        emit Noted(msg.sender, ++notes, text);
    }
}

/// Code that an externally owned account delegates to (EIP-7702): makes calls with value as that account.
contract SmartAccount {
    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    event Executed(uint256 calls);

    receive() external payable {}

    function execute(Call[] calldata calls) external payable {
        require(msg.sender == address(this), "SmartAccount: only itself");
        for (uint256 i; i < calls.length; i++) {
            (bool success,) = calls[i].to.call{value: calls[i].value}(calls[i].data);
            require(success, "SmartAccount: call failed");
        }
        emit Executed(calls.length);
    }
}
