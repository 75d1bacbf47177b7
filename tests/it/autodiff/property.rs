//! Random compositions of ops against central differences.

use opswitch::{
    AutodiffOps as _, DType, Dispatch, DispatchDevice, Slice, TensorHandle as _,
    ops::{CrossEntropy, FloatOps as _, IntOps as _, NnOps as _},
};
use proptest::{prelude::*, strategy::ValueTree as _, test_runner::TestRunner};

use super::{
    CREATE, Float, assert_close, backward, backward_with, balanced, device, grad, grad_of, on, require_grad,
    sum, values,
};

const ROWS: usize = 2;
const COLUMNS: usize = 3;
const SIZE: usize = ROWS * COLUMNS;

/// One op on earlier values: which, and on which two of them.
type Step = (usize, prop::sample::Index, prop::sample::Index);

type Binary = fn(Float, Float) -> Float;

/// Each maps two matrices to one of the same shape, smoothly and without growing fast.
const OPS: &[(&str, Binary)] = &[
    ("add", Dispatch::float_add),
    ("sub", Dispatch::float_sub),
    ("mul", |x, y| Dispatch::float_tanh(Dispatch::float_mul(x, y))),
    ("div", |x, y| Dispatch::float_div(x, Dispatch::float_add_scalar(Dispatch::float_square(y), 1.0))),
    ("sin", |x, _| Dispatch::float_sin(x)),
    ("exp", |x, _| Dispatch::float_exp(Dispatch::float_tanh(x))),
    ("ln", |x, _| Dispatch::float_ln_1p(Dispatch::float_square(x))),
    ("sqrt", |x, _| Dispatch::float_sqrt(Dispatch::float_add_scalar(Dispatch::float_square(x), 0.5))),
    ("rsqrt", |x, _| Dispatch::float_rsqrt(Dispatch::float_add_scalar(Dispatch::float_square(x), 0.5))),
    ("recip", |x, _| Dispatch::float_recip(Dispatch::float_add_scalar(Dispatch::float_square(x), 1.0))),
    ("erf", |x, _| Dispatch::float_erf(x)),
    ("atan2", |x, y| Dispatch::float_atan2(x, Dispatch::float_add_scalar(Dispatch::float_square(y), 1.0))),
    ("powf", |x, y| {
        Dispatch::float_powf(
            Dispatch::float_add_scalar(Dispatch::float_square(x), 0.5),
            Dispatch::float_tanh(y),
        )
    }),
    ("powi", |x, _| Dispatch::float_powi_scalar(Dispatch::float_tanh(x), 3)),
    ("gelu", |x, _| Dispatch::gelu(x)),
    ("silu", |x, _| Dispatch::silu(x)),
    ("softplus", |x, _| Dispatch::softplus(x, 1.5)),
    ("log_sigmoid", |x, _| Dispatch::log_sigmoid(x)),
    ("softmax", |x, _| Dispatch::softmax(x, 1)),
    ("log_softmax", |x, _| Dispatch::log_softmax(x, 0)),
    ("matmul", |x, y| {
        let square = Dispatch::float_matmul(x.clone(), Dispatch::float_transpose(y));
        Dispatch::float_tanh(Dispatch::float_matmul(square, x))
    }),
    ("row_mean", |x, y| Dispatch::float_sub(x, Dispatch::float_mean(y, &[1], true))),
    ("column_sum", |x, y| Dispatch::float_sin(Dispatch::float_add(x, Dispatch::float_sum(y, &[0], false)))),
    ("log_sum_exp", |x, y| Dispatch::float_sub(x, Dispatch::float_log_sum_exp(y, &[0, 1], true))),
    ("var", |x, y| {
        Dispatch::float_div(x, Dispatch::float_add_scalar(Dispatch::float_var(y, &[1], true, 1), 1.0))
    }),
    ("flip", |x, _| Dispatch::float_flip(x, &[0, 1])),
    ("permute", |x, _| Dispatch::float_reshape(Dispatch::float_permute(x, &[1, 0]), [ROWS, COLUMNS].into())),
    ("cat_and_slice", |x, y| {
        let both = Dispatch::float_cat(vec![x, y], 1);
        Dispatch::float_slice(both, &[Slice::FULL, Slice::new(Some(5), None, -2)])
    }),
    ("slice_assign", |x, y| {
        let part = Dispatch::float_slice(y, &[Slice::new(Some(1), None, 1)]);
        Dispatch::float_slice_assign(x, &[Slice::new(None, Some(1), 1)], part)
    }),
    ("gather", |x, y| {
        let index = Dispatch::int_reshape(arange(COLUMNS), [1, COLUMNS].into());
        let index = Dispatch::int_rem_scalar(Dispatch::int_expand(index, [ROWS, COLUMNS].into()), 2);
        Dispatch::float_scatter_add(x, 1, index.clone(), Dispatch::float_gather(y, 1, index))
    }),
    ("select", |x, y| {
        let index = Dispatch::int_rem_scalar(arange(ROWS), 1);
        Dispatch::float_select_add(x, 0, index.clone(), Dispatch::float_select(y, 0, index))
    }),
    ("cross_entropy", |x, y| {
        let options = CrossEntropy { label_smoothing: 0.1, ..CrossEntropy::default() };
        Dispatch::float_add(x, Dispatch::cross_entropy(y, arange(ROWS), options))
    }),
];

fn arange(count: usize) -> opswitch::IntTensor<Dispatch> {
    Dispatch::int_arange(0, count as i64, 1, DType::I64, &super::plain())
}

fn run(steps: &[Step], x: Float, y: Float) -> Float {
    let mut made = vec![x, y];
    for (op, lhs, rhs) in steps {
        let next = OPS[*op].1(lhs.get(&made).clone(), rhs.get(&made).clone());
        made.push(next);
    }
    // Different weights, so that no element's gradient cancels another's.
    let last = made.pop().expect("the inputs are there");
    let weights: Vec<f64> = (1..=SIZE).map(|position| position as f64 / SIZE as f64).collect();
    let weights = on(&super::plain(), &weights, &[ROWS, COLUMNS]);
    sum(Dispatch::float_mul(last, weights))
}

fn matrix(device: &DispatchDevice, values: &[f64]) -> Float {
    on(device, values, &[ROWS, COLUMNS])
}

fn gradients(steps: &[Step], device: &DispatchDevice, x: &[f64], y: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (x, y) = (require_grad(matrix(device, x)), require_grad(matrix(device, y)));
    let gradients = backward(&run(steps, x.clone(), y.clone()));
    let of =
        |tensor: &Float| grad_of(tensor, &gradients).map_or_else(|| vec![0.0; SIZE], |grad| values(&grad));
    (of(&x), of(&y))
}

/// (f(x + h) - f(x - h)) / 2h for each element of the inputs.
fn central_differences(steps: &[Step], x: &[f64], y: &[f64]) -> Vec<f64> {
    const H: f64 = 1e-5;
    let point = [x, y].concat();
    let value = |point: &[f64]| {
        let plain = super::plain();
        values(&run(steps, matrix(&plain, &point[..SIZE]), matrix(&plain, &point[SIZE..])))[0]
    };
    let moved = |position: usize, by: f64| {
        let mut point = point.clone();
        point[position] += by;
        value(&point)
    };
    (0..point.len()).map(|position| (moved(position, H) - moved(position, -H)) / (2.0 * H)).collect()
}

/// The gradient of (gradient in x) · v, from the graph and by central differences of first gradients.
fn check_second_order(steps: &[Step], x: &[f64], y: &[f64]) {
    const H: f64 = 1e-5;
    let direction: Vec<f64> = (0..SIZE).map(|position| 1.0 - 0.3 * position as f64).collect();
    let tracked_x = require_grad(matrix(&device(), x));
    let f = run(steps, tracked_x.clone(), matrix(&device(), y));
    if !Dispatch::is_tracked(&f) {
        return;
    }
    let first = grad_of(&tracked_x, &backward_with(&f, CREATE)).expect("f depends on x");
    let product = sum(Dispatch::float_mul(first, matrix(&device(), &direction)));
    let got =
        if Dispatch::is_tracked(&product) { grad(&tracked_x, &backward(&product)) } else { vec![0.0; SIZE] };
    let moved = |by: f64| {
        let point: Vec<f64> = x.iter().zip(&direction).map(|(x, v)| x + by * v).collect();
        gradients(steps, &device(), &point, y).0
    };
    let want: Vec<f64> = moved(H).iter().zip(moved(-H)).map(|(high, low)| (high - low) / (2.0 * H)).collect();
    assert_close(&got, &want, 1e-5);
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec((0..OPS.len(), any::<prop::sample::Index>(), any::<prop::sample::Index>()), 1..10)
}

fn point() -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(-1.5..1.5f64, SIZE)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(200) })]

    #[test]
    fn gradients_are_the_central_differences(steps in steps(), x in point(), y in point()) {
        let (in_x, in_y) = gradients(&steps, &device(), &x, &y);
        let got = [in_x, in_y].concat();
        assert_close(&got, &central_differences(&steps, &x, &y), 1e-6);
        let (in_x, in_y) = gradients(&steps, &balanced(), &x, &y);
        assert_eq!([in_x, in_y].concat(), got, "computing values again changes nothing");
    }

    #[test]
    fn second_derivatives_are_the_central_differences(steps in steps(), x in point(), y in point()) {
        check_second_order(&steps, &x, &y);
    }
}

/// Each op by itself, so that a fault is found at its name and not in a composition.
#[test]
fn each_op_alone_has_the_central_differences() {
    let (x, y) = ([0.3, -1.2, 0.8, 1.1, -0.6, 0.4], [-0.9, 0.5, 1.3, -0.2, 0.7, -1.4]);
    for (op, (name, _)) in OPS.iter().enumerate() {
        let steps = [(op, index(0), index(1))];
        let (in_x, in_y) = gradients(&steps, &device(), &x, &y);
        let want = central_differences(&steps, &x, &y);
        let close = |(got, want): (&f64, &f64)| (got - want).abs() < 1e-7;
        let got = [in_x, in_y].concat();
        assert!(got.iter().zip(&want).all(close), "{name}: got {got:?}, want {want:?}");
    }
}

/// The index that picks this one of two.
fn index(which: usize) -> prop::sample::Index {
    let mut runner = TestRunner::deterministic();
    let picks = |index: &prop::sample::Index| index.index(2) == which;
    let index = any::<prop::sample::Index>().prop_filter("the other one", picks);
    index.new_tree(&mut runner).expect("half of them do").current()
}

#[test]
fn shapes_stay_as_they_are() {
    let (x, y) = (matrix(&device(), &[0.1; SIZE]), matrix(&device(), &[0.2; SIZE]));
    for (name, op) in OPS {
        assert_eq!(op(x.clone(), y.clone()).shape(), [ROWS, COLUMNS].into(), "{name}");
    }
}
