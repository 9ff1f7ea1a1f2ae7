// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

interface Asset {
    function balanceOf(address account) external view returns (uint256);
    function transfer(address to, uint256 value) external returns (bool);
    function transferFrom(address from, address to, uint256 value) external returns (bool);
}

interface Ether is Asset {
    function deposit() external payable;
    function withdraw(uint256 value) external;
}

/// A constant-product pool of two tokens; its shares are an ERC-20.
contract Pair {
    string public constant name = "Pool Share";
    string public constant symbol = "POOL";
    uint8 public constant decimals = 18;
    address public immutable factory;
    address public token0;
    address public token1;
    uint112 private reserve0;
    uint112 private reserve1;
    uint32 private blockTimestampLast;
    uint256 public totalSupply;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    event Approval(address indexed owner, address indexed spender, uint256 value);
    event Transfer(address indexed from, address indexed to, uint256 value);
    event Mint(address indexed sender, uint256 amount0, uint256 amount1);
    event Burn(address indexed sender, uint256 amount0, uint256 amount1, address indexed to);
    event Swap(
        address indexed sender,
        uint256 amount0In,
        uint256 amount1In,
        uint256 amount0Out,
        uint256 amount1Out,
        address indexed to
    );
    event Sync(uint112 reserve0, uint112 reserve1);

    constructor() {
        factory = msg.sender;
    }

    function initialize(address token0_, address token1_) external {
        require(msg.sender == factory, "Pair: FORBIDDEN");
        (token0, token1) = (token0_, token1_);
    }

    function getReserves() public view returns (uint112, uint112, uint32) {
        return (reserve0, reserve1, blockTimestampLast);
    }

    function approve(address spender, uint256 value) external returns (bool) {
        allowance[msg.sender][spender] = value;
        emit Approval(msg.sender, spender, value);
        return true;
    }

    function transfer(address to, uint256 value) external returns (bool) {
        move(msg.sender, to, value);
        return true;
    }

    function transferFrom(address from, address to, uint256 value) external returns (bool) {
        allowance[from][msg.sender] -= value;
        move(from, to, value);
        return true;
    }

    function mint(address to) external returns (uint256 liquidity) {
        uint256 balance0 = Asset(token0).balanceOf(address(this));
        uint256 balance1 = Asset(token1).balanceOf(address(this));
        uint256 amount0 = balance0 - reserve0;
        uint256 amount1 = balance1 - reserve1;
        liquidity = totalSupply == 0
            ? root(amount0 * amount1)
            : least(amount0 * totalSupply / reserve0, amount1 * totalSupply / reserve1);
        require(liquidity > 0, "Pair: INSUFFICIENT_LIQUIDITY_MINTED");
        totalSupply += liquidity;
        balanceOf[to] += liquidity;
        emit Transfer(address(0), to, liquidity);
        update(balance0, balance1);
        emit Mint(msg.sender, amount0, amount1);
    }

    function burn(address to) external returns (uint256 amount0, uint256 amount1) {
        uint256 liquidity = balanceOf[address(this)];
        amount0 = liquidity * Asset(token0).balanceOf(address(this)) / totalSupply;
        amount1 = liquidity * Asset(token1).balanceOf(address(this)) / totalSupply;
        require(amount0 > 0 && amount1 > 0, "Pair: INSUFFICIENT_LIQUIDITY_BURNED");
        balanceOf[address(this)] = 0;
        totalSupply -= liquidity;
        emit Transfer(address(this), address(0), liquidity);
        Asset(token0).transfer(to, amount0);
        Asset(token1).transfer(to, amount1);
        update(Asset(token0).balanceOf(address(this)), Asset(token1).balanceOf(address(this)));
        emit Burn(msg.sender, amount0, amount1, to);
    }

    function swap(uint256 amount0Out, uint256 amount1Out, address to, bytes calldata) external {
        require(amount0Out > 0 || amount1Out > 0, "Pair: INSUFFICIENT_OUTPUT_AMOUNT");
        if (amount0Out > 0) Asset(token0).transfer(to, amount0Out);
        if (amount1Out > 0) Asset(token1).transfer(to, amount1Out);
        uint256 balance0 = Asset(token0).balanceOf(address(this));
        uint256 balance1 = Asset(token1).balanceOf(address(this));
        uint256 amount0In = balance0 + amount0Out - reserve0;
        uint256 amount1In = balance1 + amount1Out - reserve1;
        require(
            (balance0 * 1000 - amount0In * 3) * (balance1 * 1000 - amount1In * 3)
                >= uint256(reserve0) * reserve1 * 1000 ** 2,
            "Pair: K"
        );
        update(balance0, balance1);
        emit Swap(msg.sender, amount0In, amount1In, amount0Out, amount1Out, to);
    }

    function move(address from, address to, uint256 value) private {
        balanceOf[from] -= value;
        balanceOf[to] += value;
        emit Transfer(from, to, value);
    }

    function update(uint256 balance0, uint256 balance1) private {
        reserve0 = uint112(balance0);
        reserve1 = uint112(balance1);
        blockTimestampLast = uint32(block.timestamp);
        emit Sync(reserve0, reserve1);
    }

    function least(uint256 a, uint256 b) private pure returns (uint256) {
        return a < b ? a : b;
    }

    function root(uint256 y) private pure returns (uint256 z) {
        if (y < 4) return y == 0 ? 0 : 1;
        z = y;
        uint256 x = y / 2 + 1;
        while (x < z) {
            z = x;
            x = (y / x + x) / 2;
        }
    }
}

/// Creates one pair per two tokens, by CREATE2.
contract PairFactory {
    mapping(address => mapping(address => address)) public getPair;
    address[] public allPairs;

    event PairCreated(address indexed token0, address indexed token1, address pair, uint256 length);

    function createPair(address tokenA, address tokenB) external returns (address pair) {
        require(tokenA != tokenB, "PairFactory: IDENTICAL_ADDRESSES");
        require(getPair[tokenA][tokenB] == address(0), "PairFactory: PAIR_EXISTS");
        (address token0, address token1) = tokenA < tokenB ? (tokenA, tokenB) : (tokenB, tokenA);
        pair = address(new Pair{salt: keccak256(abi.encodePacked(token0, token1))}());
        Pair(pair).initialize(token0, token1);
        getPair[token0][token1] = pair;
        getPair[token1][token0] = pair;
        allPairs.push(pair);
        emit PairCreated(token0, token1, pair, allPairs.length);
    }
}

/// Moves tokens and ether through pairs, with the signatures of the Uniswap V2 router.
contract Router {
    address public immutable factory;
    address public immutable WETH;

    constructor(address factory_, address weth) {
        factory = factory_;
        WETH = weth;
    }

    receive() external payable {}

    modifier ensure(uint256 deadline) {
        require(deadline >= block.timestamp, "Router: EXPIRED");
        _;
    }

    function addLiquidity(
        address tokenA,
        address tokenB,
        uint256 amountADesired,
        uint256 amountBDesired,
        uint256 amountAMin,
        uint256 amountBMin,
        address to,
        uint256 deadline
    ) external ensure(deadline) returns (uint256 amountA, uint256 amountB, uint256 liquidity) {
        address pair = PairFactory(factory).getPair(tokenA, tokenB);
        if (pair == address(0)) pair = PairFactory(factory).createPair(tokenA, tokenB);
        (amountA, amountB) = (amountADesired, amountBDesired);
        (uint256 reserveA, uint256 reserveB) = reserves(tokenA, tokenB);
        if (reserveA > 0) {
            amountB = amountA * reserveB / reserveA;
            if (amountB > amountBDesired) {
                amountB = amountBDesired;
                amountA = amountB * reserveA / reserveB;
            }
        }
        require(amountA >= amountAMin, "Router: INSUFFICIENT_A_AMOUNT");
        require(amountB >= amountBMin, "Router: INSUFFICIENT_B_AMOUNT");
        Asset(tokenA).transferFrom(msg.sender, pair, amountA);
        Asset(tokenB).transferFrom(msg.sender, pair, amountB);
        liquidity = Pair(pair).mint(to);
    }

    function removeLiquidity(
        address tokenA,
        address tokenB,
        uint256 liquidity,
        uint256 amountAMin,
        uint256 amountBMin,
        address to,
        uint256 deadline
    ) external ensure(deadline) returns (uint256 amountA, uint256 amountB) {
        address pair = PairFactory(factory).getPair(tokenA, tokenB);
        Pair(pair).transferFrom(msg.sender, pair, liquidity);
        (uint256 amount0, uint256 amount1) = Pair(pair).burn(to);
        (amountA, amountB) = tokenA == Pair(pair).token0() ? (amount0, amount1) : (amount1, amount0);
        require(amountA >= amountAMin, "Router: INSUFFICIENT_A_AMOUNT");
        require(amountB >= amountBMin, "Router: INSUFFICIENT_B_AMOUNT");
    }

    function swapExactTokensForTokens(
        uint256 amountIn,
        uint256 amountOutMin,
        address[] calldata path,
        address to,
        uint256 deadline
    ) external ensure(deadline) returns (uint256[] memory amounts) {
        amounts = quote(amountIn, amountOutMin, path);
        Asset(path[0]).transferFrom(msg.sender, pairOf(path[0], path[1]), amountIn);
        swap(amounts, path, to);
    }

    function swapExactETHForTokens(uint256 amountOutMin, address[] calldata path, address to, uint256 deadline)
        external
        payable
        ensure(deadline)
        returns (uint256[] memory amounts)
    {
        require(path[0] == WETH, "Router: INVALID_PATH");
        amounts = quote(msg.value, amountOutMin, path);
        Ether(WETH).deposit{value: msg.value}();
        Asset(WETH).transfer(pairOf(path[0], path[1]), msg.value);
        swap(amounts, path, to);
    }

    function swapExactTokensForETH(
        uint256 amountIn,
        uint256 amountOutMin,
        address[] calldata path,
        address to,
        uint256 deadline
    ) external ensure(deadline) returns (uint256[] memory amounts) {
        require(path[path.length - 1] == WETH, "Router: INVALID_PATH");
        amounts = quote(amountIn, amountOutMin, path);
        Asset(path[0]).transferFrom(msg.sender, pairOf(path[0], path[1]), amountIn);
        swap(amounts, path, address(this));
        Ether(WETH).withdraw(amounts[amounts.length - 1]);
        (bool sent,) = to.call{value: amounts[amounts.length - 1]}("");
        require(sent, "Router: ETH_TRANSFER_FAILED");
    }

    function getAmountsOut(uint256 amountIn, address[] calldata path) public view returns (uint256[] memory amounts) {
        require(path.length >= 2, "Router: INVALID_PATH");
        amounts = new uint256[](path.length);
        amounts[0] = amountIn;
        for (uint256 i; i < path.length - 1; i++) {
            (uint256 reserveIn, uint256 reserveOut) = reserves(path[i], path[i + 1]);
            uint256 taken = amounts[i] * 997;
            amounts[i + 1] = taken * reserveOut / (reserveIn * 1000 + taken);
        }
    }

    function quote(uint256 amountIn, uint256 amountOutMin, address[] calldata path)
        private
        view
        returns (uint256[] memory amounts)
    {
        amounts = getAmountsOut(amountIn, path);
        require(amounts[amounts.length - 1] >= amountOutMin, "Router: INSUFFICIENT_OUTPUT_AMOUNT");
    }

    function swap(uint256[] memory amounts, address[] calldata path, address to) private {
        for (uint256 i; i < path.length - 1; i++) {
            Pair pair = Pair(pairOf(path[i], path[i + 1]));
            address next = i < path.length - 2 ? pairOf(path[i + 1], path[i + 2]) : to;
            uint256 out = amounts[i + 1];
            (uint256 out0, uint256 out1) = path[i] == pair.token0() ? (uint256(0), out) : (out, uint256(0));
            pair.swap(out0, out1, next, "");
        }
    }

    function pairOf(address tokenA, address tokenB) private view returns (address) {
        return PairFactory(factory).getPair(tokenA, tokenB);
    }

    function reserves(address tokenA, address tokenB) private view returns (uint256, uint256) {
        Pair pair = Pair(pairOf(tokenA, tokenB));
        (uint112 reserve0, uint112 reserve1,) = pair.getReserves();
        return tokenA == pair.token0() ? (reserve0, reserve1) : (reserve1, reserve0);
    }
}
