//! Kernels of one's own.

use opswitch_core::{DType, TensorHandle, layout::movement};
use opswitch_wgpu::{Kernel, Launch, WgpuTensor};

use crate::common::{device_or_skip, tensor, values};

static SCALE: Kernel = Kernel::new(
    "scale",
    "
    struct Params { len: u32, factor: {{type}} }

    @group(0) @binding(0) var<storage, read> x: array<{{type}}>;
    @group(0) @binding(1) var<storage, read_write> y: array<{{type}}>;
    @group(0) @binding(2) var<uniform> params: Params;

    {{shared/index}}

    @compute @workgroup_size(1)
    fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(num_workgroups) groups: vec3<u32>) {
        let i = linear_index(group, groups, 0u, 1u);
        if i < params.len {
            y[i] = params.factor * x[i];
        }
    }
    ",
);

fn scale(x: &WgpuTensor, factor: i32) -> WgpuTensor {
    let y = x.new_output("scale", x.shape(), DType::I32);
    let len = x.shape().num_elements();
    Launch::new("scale", &SCALE)
        .variant(0, &|| vec![("type", "i32".into())])
        .input(x)
        .output(&y)
        .params(&[len as u32, factor as u32])
        .dispatch_each(len, 1);
    y
}

#[test]
fn a_kernel_reads_views_in_row_major_order() {
    let device = device_or_skip!();
    let x = tensor(vec![1, 2, 3, 4, 5, 6], [2, 3], device);
    assert_eq!(values::<i32>(scale(&x, -2)), [-2, -4, -6, -8, -10, -12]);
    assert_eq!(values::<i32>(scale(&movement::swap_dims("t", x.clone(), 0, 1), 2)), [2, 8, 4, 10, 6, 12]);
    assert_eq!(values::<i32>(scale(&movement::slice("s", x, &[(1..).into()]), 3)), [12, 15, 18]);
}

#[test]
fn many_launches_are_more_than_one_batch() {
    let device = device_or_skip!();
    let mut x = tensor(vec![1; 100], [100], device);
    for _ in 0..1000 {
        x = scale(&x, -1);
    }
    assert_eq!(values::<i32>(x), [1; 100]);
}

#[test]
fn a_grid_folds_past_its_limit() {
    let device = device_or_skip!();
    let len = 65_535 + 7;
    let scaled = values::<i32>(scale(&tensor((0..len).collect::<Vec<i32>>(), [len as usize], device), 2));
    assert!(scaled.into_iter().eq((0..len).map(|i| 2 * i)));
}
