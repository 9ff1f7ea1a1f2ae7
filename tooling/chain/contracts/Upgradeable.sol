// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// Counter per caller. Used through a proxy, which holds its state.
contract Counter {
    mapping(address => uint256) public countOf;
    uint256 public total;

    event Incremented(address indexed caller, uint256 by, uint256 count);

    function increment(uint256 by) external payable returns (uint256 count) {
        count = countOf[msg.sender] + by;
        countOf[msg.sender] = count;
        total += by;
        emit Incremented(msg.sender, by, count);
    }
}

/// Second version of Counter, which counts double.
contract DoubleCounter {
    mapping(address => uint256) public countOf;
    uint256 public total;

    event Incremented(address indexed caller, uint256 by, uint256 count);

    function increment(uint256 by) external payable returns (uint256 count) {
        count = countOf[msg.sender] + 2 * by;
        countOf[msg.sender] = count;
        total += 2 * by;
        emit Incremented(msg.sender, 2 * by, count);
    }
}

/// Delegates every call to an implementation that its admin can change (ERC-1967 slots).
contract Proxy {
    bytes32 private constant IMPLEMENTATION = bytes32(uint256(keccak256("eip1967.proxy.implementation")) - 1);
    bytes32 private constant ADMIN = bytes32(uint256(keccak256("eip1967.proxy.admin")) - 1);

    event Upgraded(address indexed implementation);
    event AdminChanged(address previousAdmin, address newAdmin);

    constructor(address implementation) payable {
        store(ADMIN, msg.sender);
        store(IMPLEMENTATION, implementation);
        emit AdminChanged(address(0), msg.sender);
        emit Upgraded(implementation);
    }

    function upgradeTo(address implementation) external {
        require(msg.sender == load(ADMIN), "Proxy: not the admin");
        store(IMPLEMENTATION, implementation);
        emit Upgraded(implementation);
    }

    receive() external payable {}

    fallback() external payable {
        address implementation = load(IMPLEMENTATION);
        assembly {
            calldatacopy(0, 0, calldatasize())
            let success := delegatecall(gas(), implementation, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            if iszero(success) { revert(0, returndatasize()) }
            return(0, returndatasize())
        }
    }

    function load(bytes32 slot) private view returns (address value) {
        assembly {
            value := sload(slot)
        }
    }

    function store(bytes32 slot, address value) private {
        assembly {
            sstore(slot, value)
        }
    }
}

/// Runs the code of another contract by CALLCODE, with value.
contract OldCaller {
    function run(address target, bytes calldata data) external payable {
        bytes memory input = data;
        bool success;
        assembly {
            success := callcode(gas(), target, callvalue(), add(input, 32), mload(input), 0, 0)
        }
        require(success, "OldCaller: call failed");
    }
}
