// A function of each pair of elements.

{{functions}}

fn apply(x: {{lhs_arg}}, y: {{rhs_arg}}, a: {{lhs_arg}}) -> {{result}} {
    return {{body}};
}

{{loop}}
