//! What happens when a device fails: an error that names device and op, and everything else as before.
//!
//! A program of its own, whose tests run one at a time: they limit the memory of the device, or take it away.

#[path = "../wgpu/common.rs"]
mod common;

use std::sync::{Mutex, MutexGuard, PoisonError};

use opswitch_core::{
    Backend, DType, DataError, DeviceError, DeviceInfo, Shape, TensorData, TensorHandle,
    ops::{FloatOps, IntOps, NnOps},
};
use opswitch_wgpu::{Kernel, Launch, Wgpu, WgpuDevice, WgpuTensor};

use common::{device_or_skip, tensor, values};

fn alone() -> MutexGuard<'static, ()> {
    static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

fn device_error(tensor: WgpuTensor) -> DeviceError {
    match tensor.into_data() {
        Err(DataError::Device(error)) => error,
        Err(error) => panic!("a device error is expected, but this is {error}"),
        Ok(_) => panic!("a device error is expected, but the tensor has elements"),
    }
}

#[test]
fn out_of_memory_fails_the_op_and_nothing_else() {
    let _alone = alone();
    let device = device_or_skip!();
    let kept = tensor(vec![1f32, 2.0], [2], device);
    Wgpu::trim_memory(&device).unwrap();
    let usage = Wgpu::memory_usage(&device).unwrap();
    Wgpu::set_memory_limit(&device, usage.bytes_reserved + (1 << 20)).unwrap();
    let large = Wgpu::float_zeros([1 << 20].into(), DType::F32, &device);
    let data = TensorData::new(vec![0f32; 1 << 20], [1 << 20]).unwrap();
    let uploaded = Wgpu::float_from_data(data, &device);
    Wgpu::set_memory_limit(&device, u64::MAX).unwrap();

    let error = device_error(large);
    assert_eq!(
        error.to_string(),
        format!("device `{device}`: `float_zeros` failed: out of memory for a tensor of 4194304 bytes")
    );
    assert!(uploaded.unwrap_err().to_string().contains("out of memory for a tensor of 4194304 bytes"));
    assert_eq!(values::<f32>(Wgpu::float_neg(kept)), [-1.0, -2.0]);
    assert_eq!(Wgpu::sync(&device), Ok(()));
}

#[test]
fn memory_that_is_kept_is_given_up_before_an_op_fails() {
    let _alone = alone();
    let device = device_or_skip!();
    Wgpu::trim_memory(&device).unwrap();
    let used = Wgpu::memory_usage(&device).unwrap().bytes_reserved;
    Wgpu::set_memory_limit(&device, used + (3 << 20)).unwrap();
    drop(Wgpu::float_zeros([512 << 10].into(), DType::F32, &device));
    // Two megabytes are kept, and two and a half are asked for.
    let next = Wgpu::float_ones([640 << 10].into(), DType::F32, &device);
    Wgpu::set_memory_limit(&device, u64::MAX).unwrap();
    assert_eq!(values::<f32>(next), vec![1.0; 640 << 10]);
}

#[test]
fn an_error_is_handed_on_to_all_that_depends_on_it() {
    let _alone = alone();
    let device = device_or_skip!();
    let failed = Wgpu::float_zeros([1 << 20, 1 << 14].into(), DType::F32, &device);
    let bytes = 4u64 << 34;
    let error = failed.failure().unwrap().clone();
    assert_eq!((error.device(), error.op()), (&*device.to_string(), Some("float_zeros")));
    assert!(
        error.reason().starts_with(&format!("a tensor of {bytes} bytes is above the limit of ")),
        "{error}"
    );

    let row = tensor(vec![1f32; 1 << 14], [1 << 14], device);
    let sum = Wgpu::float_add(failed.clone(), row.clone());
    assert_eq!(sum.shape(), Shape::from([1 << 20, 1 << 14]));
    let reversed = Wgpu::float_flip(Wgpu::float_exp(sum), &[0]);
    let compared = Wgpu::float_gt(row.clone(), Wgpu::float_slice(reversed, &[(..1).into()]));
    assert_eq!(device_error(compared), error);
    assert_eq!(values::<f32>(row), vec![1.0; 1 << 14]);
}

#[test]
fn every_family_hands_an_error_on() {
    let _alone = alone();
    let device = device_or_skip!();
    let failed = || Wgpu::float_zeros([1 << 20, 1 << 14].into(), DType::F32, &device);
    let error = failed().failure().unwrap().clone();
    let scalar =
        |x: WgpuTensor| Wgpu::float_reshape(Wgpu::float_slice(x, &[(..1).into(), (..1).into()]), [1].into());
    let index = || Wgpu::float_into_int(scalar(failed()), DType::I32);
    let one = || tensor(vec![1f32], [1], device);
    let zero = || tensor(vec![0], [1], device);
    let results = [
        Wgpu::float_sum(failed(), &[0, 1], false),
        Wgpu::float_argmax(failed(), 0, false),
        Wgpu::float_max_dim(failed(), 1, false).0,
        Wgpu::float_log_sum_exp(failed(), &[1], true),
        Wgpu::softmax(failed(), 0),
        Wgpu::float_matmul(scalar(failed()), one()),
        Wgpu::float_matmul(one(), scalar(failed())),
        Wgpu::float_gather(scalar(failed()), 0, zero()),
        Wgpu::float_select(one(), 0, index()),
        Wgpu::float_scatter_add(one(), 0, index(), one()),
        Wgpu::float_select_add(one(), 0, zero(), scalar(failed())),
        Wgpu::float_one_hot(index(), 2, DType::F32),
        Wgpu::float_cat(vec![one(), scalar(failed())], 0),
        Wgpu::float_slice_assign(one(), &[], scalar(failed())),
    ];
    for (number, result) in results.into_iter().enumerate() {
        assert_eq!(device_error(result), error, "result {number}");
    }
    assert_eq!(Wgpu::sync(&device), Ok(()));
}

#[test]
fn a_kernel_that_does_not_compile_fails_its_outputs() {
    static BROKEN: Kernel = Kernel::new("broken", "@compute @workgroup_size(64) fn main() { nonsense(); }");
    static UNFILLED: Kernel = Kernel::new("unfilled", "{{size}}");
    static OTHER_BINDINGS: Kernel = Kernel::new(
        "other_bindings",
        "@group(0) @binding(7) var<storage, read_write> y: array<f32>;
        @compute @workgroup_size(64) fn main() { y[0] = 1.0; }",
    );
    let _alone = alone();
    let device = device_or_skip!();
    let x = tensor(vec![1f32; 4], [4], device);
    let run = |kernel: &'static Kernel| {
        let y = x.new_output("op", [4], DType::F32);
        Launch::new("op", kernel).input(&x).output(&y).dispatch([1, 1, 1]);
        device_error(y)
    };
    for _ in 0..2 {
        let error = run(&BROKEN);
        assert_eq!(error.op(), Some("op"));
        assert!(error.reason().starts_with("kernel `broken` does not compile: "), "{error}");
        assert!(error.reason().contains("nonsense"), "{error}");
    }
    assert_eq!(
        run(&UNFILLED).reason(),
        "kernel `unfilled` has the placeholder `size`, for which no value is given"
    );
    assert!(run(&OTHER_BINDINGS).reason().starts_with("kernel `other_bindings` does not compile: "));
    assert_eq!(values::<f32>(Wgpu::float_neg(x)), [-1.0; 4]);
    assert_eq!(Wgpu::sync(&device), Ok(()));
}

#[test]
fn a_launch_that_would_spoil_its_batch_fails_alone() {
    static COPY: Kernel = Kernel::new(
        "copy",
        "@group(0) @binding(0) var<storage, read> x: array<f32>;
        @group(0) @binding(1) var<storage, read_write> y: array<f32>;
        @compute @workgroup_size(1) fn main(@builtin(workgroup_id) id: vec3<u32>) { y[id.x] = x[id.x]; }",
    );
    let _alone = alone();
    let device = device_or_skip!();
    let x = tensor(vec![1f32; 4], [4], device);
    let copied = x.new_output("copy", [4], DType::F32);
    Launch::new("copy", &COPY).input(&x).output(&copied).dispatch([4, 1, 1]);

    let onto_itself = x.new_output("copy", [4], DType::F32);
    Launch::new("copy", &COPY).input(&onto_itself).output(&onto_itself).dispatch([4, 1, 1]);
    let reason = "an output shares its memory with another tensor of the launch";
    assert_eq!(device_error(onto_itself).reason(), reason);

    let too_many = x.new_output("copy", [4], DType::F32);
    Launch::new("copy", &COPY).input(&x).output(&too_many).dispatch([4, 70_000, 1]);
    let reason = "a grid of [4, 70000, 1] groups is above the limit of 65535 a dimension";
    assert_eq!(device_error(too_many).reason(), reason);

    let view = Wgpu::float_flip(x.new_output("copy", [4], DType::F32), &[0]);
    Launch::new("copy", &COPY).input(&x).output(&view).dispatch([4, 1, 1]);
    assert_eq!(device_error(view).reason(), "an output is a view; give one that `new_output` made");

    let (many, y) = (vec![x.clone(); 40], x.new_output("copy", [4], DType::F32));
    let launch = many.iter().fold(Launch::new("copy", &COPY), Launch::input);
    launch.output(&y).dispatch([4, 1, 1]);
    assert_eq!(device_error(y).reason(), "41 tensors are above the limit of 32");
    assert_eq!(values::<f32>(copied), [1.0; 4]);
}

#[test]
fn a_lost_device_is_reported_and_opened_anew() {
    let _alone = alone();
    let device = device_or_skip!();
    let before = tensor(vec![1f32, 2.0], [2], device);
    let pending = Wgpu::float_exp(before.clone());
    Wgpu::lose_device(&device).unwrap();

    let says_lost = |error: &DeviceError| {
        assert_eq!(error.device(), device.to_string());
        assert!(error.reason().starts_with("it can no longer be used: the device was lost"), "{error}");
    };
    says_lost(&Wgpu::sync(&device).unwrap_err());
    says_lost(&device_error(before.clone()));
    says_lost(&device_error(pending));
    let after = Wgpu::float_neg(before.clone());
    says_lost(after.failure().unwrap());
    assert_eq!(after.failure().unwrap().op(), Some("float_neg"));

    // The same device works again, with new tensors; those of the lost one stay lost.
    let fresh = tensor(vec![3f32], [1], device);
    says_lost(&device_error(Wgpu::float_add(fresh.clone(), before)));
    assert_eq!(values::<f32>(Wgpu::float_neg(fresh)), [-3.0]);
    assert_eq!(Wgpu::sync(&device), Ok(()));
}

#[test]
fn reads_that_wait_for_a_lost_device_end() {
    let _alone = alone();
    let device = device_or_skip!();
    let mut x = Wgpu::float_ones([1 << 20].into(), DType::F32, &device);
    for _ in 0..20 {
        x = Wgpu::float_exp(x);
    }
    let read = Wgpu::float_into_data(x);
    Wgpu::lose_device(&device).unwrap();
    let error = pollster::block_on(read).unwrap_err().to_string();
    assert!(error.starts_with(&format!("device `{device}`: it can no longer be used")), "{error}");
}

#[test]
fn an_adapter_that_is_not_there_is_an_error() {
    let _alone = alone();
    let device = WgpuDevice::new(999);
    let data = || TensorData::new(vec![1i32], [1]).unwrap();
    let starts = "device `wgpu:999`: this machine has ";
    assert!(Wgpu::int_from_data(data(), &device).unwrap_err().to_string().starts_with(starts));
    assert!(Wgpu::sync(&device).unwrap_err().to_string().starts_with(starts));
    assert_eq!(Wgpu::device_info(&device), DeviceInfo::default());
    let failed = Wgpu::int_neg(Wgpu::int_zeros([2].into(), DType::I32, &device));
    let error = device_error(failed);
    assert_eq!(error.op(), Some("int_zeros"));
    assert!(error.reason().starts_with("this machine has "), "{error}");
}
