// A function of each element.

{{functions}}

fn apply(x: {{arg}}, a: {{arg}}, b: {{arg}}) -> {{result}} {
    return {{body}};
}

{{loop}}
