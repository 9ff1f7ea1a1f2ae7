// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// Reverts in every possible way; one function catches the revert of an inner call.
contract Reverter {
    error Refused(address caller, uint256 asked, uint256 available);

    event Caught(string kind, bytes reason);

    uint256 private touched;

    function withReason() external pure {
        require(false, "Reverter: this always fails");
    }

    function withCustomError(uint256 asked) external view {
        revert Refused(msg.sender, asked, 0);
    }

    function withPanic(uint256 divisor) external pure returns (uint256) {
        return 1 / divisor;
    }

    function withoutData() external pure {
        assembly {
            revert(0, 0)
        }
    }

    function withInvalidInstruction() external pure {
        assembly {
            invalid()
        }
    }

    function outOfGas() external {
        while (true) touched++;
    }

    function inner(address payable recipient) external payable {
        touched++;
        (bool sent,) = recipient.call{value: msg.value}("");
        require(sent, "Reverter: not sent");
        revert("Reverter: undone");
    }

    /// The inner call pays the recipient and reverts, which undoes the payment; this call succeeds.
    function catches(address payable recipient) external payable {
        try this.inner{value: msg.value}(recipient) {
            emit Caught("none", "");
        } catch Error(string memory reason) {
            emit Caught("Error", bytes(reason));
        }
        (bool sent,) = msg.sender.call{value: msg.value}("");
        require(sent, "Reverter: refund failed");
    }
}
