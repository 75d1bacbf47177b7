// Division towards zero, and the remainder with the sign of the divisor. What a device leaves undefined is defined: the least
// integer divided by -1 wraps around, and division by 0 gives 0, as does its remainder.
fn divide_i32(x: i32, y: i32) -> i32 {
    let is_special = y == 0 || y == -1;
    return select(x / select(y, 1, is_special), -x * -y, is_special);
}

fn remainder_i32(x: i32, y: i32) -> i32 {
    let is_special = y == 0 || y == -1;
    let rest = x % select(y, 1, is_special);
    return select(rest, rest + y, rest != 0 && (rest < 0) != (y < 0));
}

fn divide_u32(x: u32, y: u32) -> u32 {
    return select(x / select(y, 1u, y == 0u), 0u, y == 0u);
}

fn remainder_u32(x: u32, y: u32) -> u32 {
    return x % select(y, 1u, y == 0u);
}

// All bits are moved out by an amount that is not less than their number. A negative one is a great one here.
fn shift_left_i32(x: i32, amount: i32) -> i32 {
    return bitcast<i32>(shift_left_u32(bitcast<u32>(x), bitcast<u32>(amount)));
}

fn shift_left_u32(x: u32, amount: u32) -> u32 {
    return select(x << (amount & 31u), 0u, amount > 31u);
}

fn shift_right_i32(x: i32, amount: i32) -> i32 {
    return x >> min(bitcast<u32>(amount), 31u);
}

fn shift_right_u32(x: u32, amount: u32) -> u32 {
    return select(x >> (amount & 31u), 0u, amount > 31u);
}
