// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// A registry of names by their hashes, as ENSIP-1 has it: each node names the contract that answers for it. Anyone may write.
contract NameRegistry {
    mapping(bytes32 => address) public resolver;

    function setResolver(bytes32 node, address to) external {
        resolver[node] = to;
    }
}

/// Answers with the address of a name and with the name of an address, as they were written. Anyone may write.
contract NameResolver {
    mapping(bytes32 => address) public addr;
    mapping(bytes32 => string) public name;

    function setAddr(bytes32 node, address to) external {
        addr[node] = to;
    }

    function setName(bytes32 node, string calldata text) external {
        name[node] = text;
    }

    function supportsInterface(bytes4) external pure returns (bool) {
        return false;
    }
}

/// Answers for every name below its own with one address (ENSIP-10), and for every address with one name.
contract WildcardResolver {
    address private immutable to;
    string private text;

    constructor(address account, string memory name) {
        to = account;
        text = name;
    }

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x9061b923;
    }

    function resolve(bytes calldata, bytes calldata data) external view returns (bytes memory) {
        return bytes4(data) == bytes4(0x3b3b57de) ? abi.encode(to) : abi.encode(text);
    }
}

/// Answers as no resolver should: it refuses, never ends, returns a megabyte, or refers to a server (EIP-3668).
contract HostileResolver {
    error OffchainLookup(address sender, string[] urls, bytes callData, bytes4 callbackFunction, bytes extraData);

    uint256 private immutable kind;

    constructor(uint256 given) {
        kind = given;
    }

    fallback() external {
        if (kind == 0) revert("refused");
        if (kind == 1) while (true) {}
        if (kind == 2) {
            assembly {
                return(0, 1048576)
            }
        }
        string[] memory urls = new string[](1);
        urls[0] = "http://127.0.0.1:1/{data}";
        revert OffchainLookup(address(this), urls, msg.data, bytes4(0), "");
    }
}
