// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

/// Takes orders whose calldata and event nest tuples in arrays in tuples.
contract Orders {
    struct Asset {
        address token;
        uint256 id;
        bytes32[] tags;
    }

    struct Item {
        Asset asset;
        uint128 amount;
        int64 adjustment;
    }

    struct Order {
        address maker;
        bool urgent;
        Item[] items;
        uint8[2][] pairs;
        string note;
    }

    event OrderPlaced(bytes32 indexed id, address indexed maker, Order order);
    event Remark(string indexed topic, bytes4 kind, string text);

    function place(Order calldata order, bytes calldata signature) external payable returns (bytes32 id) {
        id = keccak256(abi.encode(order, signature));
        emit OrderPlaced(id, order.maker, order);
        emit Remark(order.note, msg.sig, order.note);
    }
}
