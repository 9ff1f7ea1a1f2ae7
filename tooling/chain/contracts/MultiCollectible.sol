// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

interface ERC1155Receiver {
    function onERC1155Received(address operator, address from, uint256 id, uint256 value, bytes calldata data)
        external
        returns (bytes4);
    function onERC1155BatchReceived(
        address operator,
        address from,
        uint256[] calldata ids,
        uint256[] calldata values,
        bytes calldata data
    ) external returns (bytes4);
}

/// An ERC-1155 that anyone may mint.
contract MultiCollectible {
    mapping(address => mapping(uint256 => uint256)) private balances;
    mapping(address => mapping(address => bool)) public isApprovedForAll;

    event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value);
    event TransferBatch(
        address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values
    );
    event ApprovalForAll(address indexed account, address indexed operator, bool approved);
    event URI(string value, uint256 indexed id);

    function supportsInterface(bytes4 id) external pure returns (bool) {
        return id == 0x01ffc9a7 || id == 0xd9b67a26;
    }

    function balanceOf(address account, uint256 id) external view returns (uint256) {
        return balances[account][id];
    }

    function setApprovalForAll(address operator, bool approved) external {
        isApprovedForAll[msg.sender][operator] = approved;
        emit ApprovalForAll(msg.sender, operator, approved);
    }

    function mint(address to, uint256 id, uint256 value, string calldata uri) external {
        balances[to][id] += value;
        emit TransferSingle(msg.sender, address(0), to, id, value);
        emit URI(uri, id);
    }

    function safeTransferFrom(address from, address to, uint256 id, uint256 value, bytes calldata data) external {
        move(from, to, id, value);
        emit TransferSingle(msg.sender, from, to, id, value);
        if (to.code.length == 0) return;
        require(
            ERC1155Receiver(to).onERC1155Received(msg.sender, from, id, value, data) == 0xf23a6e61,
            "ERC1155: ERC1155Receiver rejected tokens"
        );
    }

    function safeBatchTransferFrom(
        address from,
        address to,
        uint256[] calldata ids,
        uint256[] calldata values,
        bytes calldata data
    ) external {
        require(ids.length == values.length, "ERC1155: ids and amounts length mismatch");
        for (uint256 i; i < ids.length; i++) move(from, to, ids[i], values[i]);
        emit TransferBatch(msg.sender, from, to, ids, values);
        if (to.code.length == 0) return;
        require(
            ERC1155Receiver(to).onERC1155BatchReceived(msg.sender, from, ids, values, data) == 0xbc197c81,
            "ERC1155: ERC1155Receiver rejected tokens"
        );
    }

    function move(address from, address to, uint256 id, uint256 value) private {
        require(
            from == msg.sender || isApprovedForAll[from][msg.sender],
            "ERC1155: caller is not token owner or approved"
        );
        require(balances[from][id] >= value, "ERC1155: insufficient balance for transfer");
        balances[from][id] -= value;
        balances[to][id] += value;
    }
}
