//! Many tensors of several devices, read in one go.

use opswitch::{Bool, Int, Tensor, TensorData, Transaction};

use super::devices;

/// Tensors of every kind on every device, turn by turn, and what they hold.
fn mixture() -> (Transaction, Vec<Vec<f64>>) {
    let mut transaction = Transaction::new();
    let mut expected = Vec::new();
    for (round, device) in (0u8..).zip(devices().iter().cycle().take(12)) {
        let value = f32::from(round);
        let float = Tensor::<1>::from_floats([value, value + 0.5], device) + 1.0;
        let tracked = Tensor::<0>::full([], value, &device.autodiff()).require_grad() * 2.0;
        let int = Tensor::<1, Int>::arange(0..i64::from(round), device);
        let bool = Tensor::<1, Bool>::from_bools([round % 2 == 0], device);
        transaction = transaction.read(float).read(tracked).read(int).read(bool);
        let round = f64::from(round);
        expected.push(vec![round + 1.0, round + 1.5]);
        expected.push(vec![round * 2.0]);
        expected.push((0..round as i64).map(|i| i as f64).collect());
        expected.push(vec![f64::from(u8::from(round % 2.0 == 0.0))]);
    }
    (transaction, expected)
}

fn values(data: &[TensorData]) -> Vec<Vec<f64>> {
    data.iter().map(TensorData::to_vec).collect()
}

#[test]
fn in_the_order_asked() {
    let (transaction, expected) = mixture();
    assert_eq!(values(&transaction.into_data().unwrap()), expected);
}

#[test]
fn without_blocking() {
    let (transaction, expected) = mixture();
    assert_eq!(values(&pollster::block_on(transaction.into_data_async()).unwrap()), expected);
}

#[test]
fn from_several_threads() {
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let (transaction, expected) = mixture();
                assert_eq!(values(&transaction.into_data().unwrap()), expected);
            });
        }
    });
}
