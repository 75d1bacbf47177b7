// ln Σ e^x. A maximum that is infinite or NaN is the result.

fn log_sum(acc: Acc) -> f32 {
    if is_nan(acc.max) || is_inf(acc.max) {
        return acc.max;
    }
    return acc.max + logarithm(acc.sum);
}

{{shared/exponentials}}
{{shared/ln}}
{{shared/reduce}}
