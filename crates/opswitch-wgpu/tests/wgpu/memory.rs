//! Memory: what is held, what is kept, and that it does not grow.

use opswitch_core::{DType, layout::movement, ops::FloatOps};
use opswitch_wgpu::Wgpu;

use crate::common::{device_or_skip, tensor, values};

#[test]
fn views_share_memory_and_the_last_one_gives_it_back() {
    let device = device_or_skip!();
    // A size that no other test has: the counters are those of the whole device.
    let bytes = 96 << 20;
    let in_use = || Wgpu::memory_usage(&device).unwrap().bytes_in_use;
    let x = Wgpu::float_zeros([bytes / 4].into(), DType::F32, &device);
    assert!(in_use() >= bytes as u64);
    let view = movement::slice("s", x.clone(), &[(10..12).into()]);
    drop(x);
    assert!(in_use() >= bytes as u64);
    assert_eq!(values::<f32>(view), [0.0; 2]);
    assert!(in_use() < bytes as u64);
}

#[test]
fn thousands_of_steps_hold_memory_flat() {
    let device = device_or_skip!();
    let mut weights = tensor(vec![0.5f32; 5000], [50, 100], device);
    let mut step = |round: usize| {
        let batch = tensor(vec![round as f32; 100], [100], device);
        let sum = Wgpu::float_add(weights.clone(), Wgpu::float_mul_scalar(batch, 1e-9));
        weights = Wgpu::float_tanh(movement::flip("f", sum, &[0]));
        if round.is_multiple_of(100) {
            drop(values::<f32>(movement::slice("s", weights.clone(), &[(..1).into()])));
        }
    };
    (0..200).for_each(&mut step);
    let before = Wgpu::memory_usage(&device).unwrap();
    (200..3_000).for_each(&mut step);
    let after = Wgpu::memory_usage(&device).unwrap();
    // Other tests use the device meanwhile, with far fewer buffers than there are steps.
    assert!(after.buffers < before.buffers + 200, "{before:?} became {after:?}");
}
