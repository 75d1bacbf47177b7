// The index of the first extreme, or of the first NaN if there can be one.

struct Acc {
    value: {{wide}},
    // `NONE` before the first element.
    index: u32,
}

const NONE: u32 = 0xffffffffu;

fn identity() -> Acc {
    return Acc({{wide}}(0), NONE);
}

fn step(acc: Acc, x: {{wide}}, position: u32) -> Acc {
    return combine(acc, Acc(x, position));
}

fn combine(lhs: Acc, rhs: Acc) -> Acc {
    if rhs.index == NONE {
        return lhs;
    }
    let both_nan = is_nan(lhs.value) && is_nan(rhs.value);
    let beaten = !is_nan(lhs.value) && (is_nan(rhs.value) || {{beaten}});
    let tied = both_nan || (!is_nan(lhs.value) && lhs.value == rhs.value);
    if lhs.index == NONE || beaten || (tied && rhs.index < lhs.index) {
        return rhs;
    }
    return lhs;
}

{{functions}}
{{shared/reduce}}
