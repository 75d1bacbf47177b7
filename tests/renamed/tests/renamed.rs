//! A consumer whose manifest calls opswitch `ops`.

use ops::{
    Backend, Device, DispatchError, ExtensionType, Float, FloatTensor, Tensor, backend_extension,
    extend_dispatch, ops::FloatOps,
};
use opswitch_cpu::Cpu;

#[backend_extension(crate = ops, Cpu, Other = Cpu2: cfg(any()), Autodiff)]
struct Renamed;

#[derive(Clone, Debug, ExtensionType)]
#[extension(crate = ops)]
struct Pair<B: Backend>(FloatTensor<B>, FloatTensor<B>);

#[backend_extension(crate = ops, dispatch = Renamed)]
trait PairOps: FloatOps {
    #[backward { pair => Pair(grad.clone(), grad); }]
    fn sum(pair: Pair<Self>, device: &Device<Self>) -> Result<FloatTensor<Self>, DispatchError>;
}

impl PairOps for Cpu {
    fn sum(pair: Pair<Self>, _: &Device<Self>) -> Result<FloatTensor<Self>, DispatchError> {
        Ok(Self::float_add(pair.0, pair.1))
    }
}

#[backend_extension(crate = ops, backends = any)]
trait ThriceOps: FloatOps {
    #[backward { x => B::float_mul_scalar(grad, 3.0); }]
    fn thrice(x: FloatTensor<Self>) -> FloatTensor<Self> {
        Self::float_mul_scalar(x, 3.0)
    }
}

// The library was written against the crate by its own name.
extend_dispatch!(crate = ops; Renamed: ThriceOps, flash::FlashOps);

#[test]
fn everything_works_under_the_other_name() {
    let device: RenamedDevice = "autodiff(cpu)".parse().expect("it is listed");
    let x = Tensor::<1, Float, Renamed>::from_floats([1.0, 2.0], &device).require_grad();
    let sum = Renamed::sum(Pair(x.primitive().clone(), x.primitive().clone()), &device).expect("it is here");
    let result = Tensor::<1, Float, Renamed>::from_primitive(Renamed::thrice(sum));
    assert_eq!(result.to_vec::<f32>().expect("no device fails"), [6.0, 12.0]);
    let gradient = x.grad(&result.sum().backward()).expect("the result depends on it");
    assert_eq!(gradient.to_vec::<f32>().expect("no device fails"), [6.0, 6.0]);
}
