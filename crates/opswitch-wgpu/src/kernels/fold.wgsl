// Sums and extremes.

alias Acc = {{wide}};

fn identity() -> Acc {
    return bitcast<Acc>(params.identity);
}

fn step(acc: Acc, x: Acc, position: u32) -> Acc {
    return combine(acc, x);
}

fn combine(lhs: Acc, rhs: Acc) -> Acc {
    return {{combined}};
}

{{shared/float}}
{{shared/reduce}}
