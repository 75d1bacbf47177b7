//! Data in and data out.

use opswitch_core::{AnyTensor, Backend, DType, DataError, TensorData, layout::movement, ops::FloatOps};
use opswitch_wgpu::Wgpu;

use crate::common::{device_or_skip, tensor, values};

#[test]
fn every_element_type_comes_back_as_it_went() {
    let device = device_or_skip!();
    assert_eq!(values::<f32>(tensor(vec![1.5f32, f32::MIN, -0.0], [3], device)), [1.5, f32::MIN, -0.0]);
    assert_eq!(values::<i32>(tensor(vec![i32::MIN, -1, i32::MAX], [3], device)), [i32::MIN, -1, i32::MAX]);
    assert_eq!(values::<u32>(tensor(vec![u32::MAX, 0], [2], device)), [u32::MAX, 0]);
    assert_eq!(values::<bool>(tensor(vec![true, false, true], [3], device)), [true, false, true]);
}

#[test]
fn a_type_that_the_device_lacks_names_one_that_has_it() {
    let device = device_or_skip!();
    let data = TensorData::new(vec![1f64], [1]).unwrap();
    let error = Wgpu::float_from_data(data, &device).unwrap_err();
    assert_eq!(
        error,
        DataError::UnsupportedOnDevice { device: device.to_string(), dtype: DType::F64, elsewhere: "cpu" }
    );
}

#[test]
fn views_are_read_in_their_own_order() {
    let device = device_or_skip!();
    let x = tensor((0..6).collect::<Vec<i32>>(), [2, 3], device);
    assert_eq!(values::<i32>(movement::swap_dims("t", x.clone(), 0, 1)), [0, 3, 1, 4, 2, 5]);
    assert_eq!(values::<i32>(movement::flip("f", x.clone(), &[1])), [2, 1, 0, 5, 4, 3]);
    assert_eq!(values::<i32>(movement::slice("s", x.clone(), &[(1..).into()])), [3, 4, 5]);
    assert_eq!(values::<i32>(movement::slice("s", x, &[(..).into(), (1..2).into()])), [1, 4]);
}

#[test]
fn nothing_is_read_without_a_device() {
    let device = device_or_skip!();
    let before = Wgpu::memory_usage(&device).unwrap().buffers;
    assert_eq!(values::<f32>(tensor(vec![0f32; 0], [2, 0], device)), [0f32; 0]);
    assert!(Wgpu::memory_usage(&device).unwrap().buffers <= before + 64);
}

#[test]
fn many_tensors_are_read_in_the_order_asked() {
    let device = device_or_skip!();
    let x = tensor(vec![1f32, 2., 3.], [3], device);
    let mask = tensor(vec![true, false], [2], device);
    let empty = tensor(vec![0i32; 0], [0], device);
    let tensors = vec![
        AnyTensor::Bool(mask),
        AnyTensor::Float(movement::flip("f", x.clone(), &[0])),
        AnyTensor::Int(empty),
        AnyTensor::Float(x),
    ];
    let read = pollster::block_on(Wgpu::read_many(tensors)).unwrap();
    assert_eq!(read[0].as_slice::<bool>().unwrap(), [true, false]);
    assert_eq!(read[1].as_slice::<f32>().unwrap(), [3., 2., 1.]);
    assert_eq!(read[2].as_slice::<i32>().unwrap(), [0i32; 0]);
    assert_eq!(read[3].as_slice::<f32>().unwrap(), [1., 2., 3.]);
}

#[test]
fn a_buffer_that_is_used_again_is_not_written_too_early() {
    let device = device_or_skip!();
    for round in 0..20 {
        let x = tensor(vec![round; 1000], [10, 100], device);
        let copy = movement::swap_dims("t", x, 0, 1).contiguous("copy");
        // The upload takes the buffer of `x`, which the copy has yet to read.
        let next = tensor(vec![-1; 1000], [1000], device);
        assert_eq!(values::<i32>(copy), [round; 1000]);
        assert_eq!(values::<i32>(next), [-1; 1000]);
    }
}

#[test]
fn threads_read_at_the_same_time() {
    let device = device_or_skip!();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            scope.spawn(move || {
                for round in 0..50 {
                    let x = Wgpu::float_neg(tensor(vec![(thread * 100 + round) as f32; 64], [64], device));
                    let data = match round % 2 {
                        0 => Wgpu::float_into_data_blocking(x),
                        _ => pollster::block_on(Wgpu::float_into_data(x)),
                    };
                    assert_eq!(
                        data.unwrap().as_slice::<f32>().unwrap(),
                        [-(thread * 100 + round) as f32; 64]
                    );
                }
            });
        }
    });
}

#[test]
fn reads_that_nobody_waits_for_do_no_harm() {
    let device = device_or_skip!();
    let x = tensor(vec![1f32; 1000], [1000], device);
    for _ in 0..20 {
        drop(Wgpu::float_into_data(x.clone()));
    }
    assert_eq!(values::<f32>(x), [1f32; 1000]);
}
