// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// Holds ether until it is closed; closing destroys it when it happens in the transaction of its creation.
contract Vault {
    address public owner;

    event Closed(address indexed beneficiary, uint256 amount);

    constructor(address owner_) payable {
        owner = owner_;
    }

    receive() external payable {}

    function close(address payable beneficiary) external {
        require(msg.sender == owner, "Vault: not the owner");
        emit Closed(beneficiary, address(this).balance);
        selfdestruct(beneficiary);
    }
}

/// Creates vaults by CREATE and CREATE2, and vaults that are destroyed in the same transaction.
contract VaultFactory {
    event Created(address indexed vault, bytes32 salt);

    function create(address owner) external payable returns (address vault) {
        vault = address(new Vault{value: msg.value}(owner));
        emit Created(vault, bytes32(0));
    }

    function create2(address owner, bytes32 salt) external payable returns (address vault) {
        vault = address(new Vault{value: msg.value, salt: salt}(owner));
        emit Created(vault, salt);
    }

    function createAndClose(address payable beneficiary) external payable {
        Vault vault = new Vault{value: msg.value}(address(this));
        emit Created(address(vault), bytes32(0));
        vault.close(beneficiary);
    }
}

/// Creates another contract in its constructor and then reverts.
contract FailingCreation {
    constructor() {
        new Vault(msg.sender);
        revert("FailingCreation: never made");
    }
}
