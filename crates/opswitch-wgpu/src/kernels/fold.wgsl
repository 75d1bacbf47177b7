// Sums and extremes. A sum along rows adds vectors of four, whose components are added last.

alias Acc = {{wide}};

fn identity() -> Acc {
    return Acc({{identity}});
}

fn step(acc: Acc, x: Acc, position: u32) -> Acc {
    return combine(acc, x);
}

fn combine(lhs: Acc, rhs: Acc) -> Acc {
    return {{combined}};
}

{{shared/float}}
{{shared/reduce}}
