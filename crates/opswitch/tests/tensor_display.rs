//! Printing compared with NumPy. `fixtures/numpy_text.py` wrote the expected texts.
#![cfg(feature = "cpu")]

use opswitch::{
    Bool, DType, Elements, Float, Int, KindOps, Tensor, TensorData, TensorKind, for_dtype, half::f16,
};
use opswitch_cpu::{Cpu, CpuDevice};

const FIXTURES: &str = include_str!("fixtures/numpy_text.txt");

struct Case {
    data: TensorData,
    text: String,
}

fn parse_case(block: &str) -> Case {
    let (header, lines) = block.split_once('\n').expect("a header and a text");
    let fields: Vec<&str> = header.split('|').map(str::trim).collect();
    let [dtype, shape, elements] = fields[..] else { panic!("three fields: {header}") };
    let shape: Vec<usize> =
        shape.split_whitespace().map(|extent| extent.parse().expect("an extent")).collect();
    let elements = parse_elements(dtype.parse().expect("a type"), elements, shape.iter().product());
    let lines: Vec<&str> =
        lines.lines().map(|line| line.strip_prefix('>').expect("a line of text")).collect();
    Case {
        data: TensorData::from_elements(elements, shape).expect("as many as the shape has"),
        text: lines.join("\n"),
    }
}

fn parse_elements(dtype: DType, text: &str, count: usize) -> Elements {
    if text == "iota" {
        return Elements::new((0..count as i64).collect::<Vec<_>>()).cast(dtype);
    }
    let words = text.split_whitespace();
    let bits = |word: &str| u64::from_str_radix(word, 16).expect("hexadecimal bits");
    match dtype {
        DType::F64 => Elements::new(words.map(|word| f64::from_bits(bits(word))).collect::<Vec<_>>()),
        DType::F32 => Elements::new(words.map(|word| f32::from_bits(bits(word) as u32)).collect::<Vec<_>>()),
        DType::F16 => Elements::new(words.map(|word| f16::from_bits(bits(word) as u16)).collect::<Vec<_>>()),
        _ => {
            let wide: Vec<i128> = words.map(|word| word.parse().expect("an integer")).collect();
            for_dtype!(dtype, |E| Elements::new(
                wide.iter().map(|&x| <E as opswitch::Element>::from_i64(x as i64)).collect::<Vec<E>>()
            ))
        }
    }
}

fn text(data: TensorData) -> String {
    match data.dtype() {
        DType::Bool => text_of_kind::<Bool>(data),
        dtype if dtype.is_float() => text_of_kind::<Float>(data),
        _ => text_of_kind::<Int>(data),
    }
}

fn text_of_kind<K: TensorKind + KindOps<Cpu>>(data: TensorData) -> String {
    match data.shape().rank() {
        0 => Tensor::<0, K, Cpu>::from_data(data, &CpuDevice).to_string(),
        1 => Tensor::<1, K, Cpu>::from_data(data, &CpuDevice).to_string(),
        2 => Tensor::<2, K, Cpu>::from_data(data, &CpuDevice).to_string(),
        3 => Tensor::<3, K, Cpu>::from_data(data, &CpuDevice).to_string(),
        4 => Tensor::<4, K, Cpu>::from_data(data, &CpuDevice).to_string(),
        rank => panic!("no case has rank {rank}"),
    }
}

#[test]
fn tensors_print_as_numpy_prints_them() {
    let cases: Vec<Case> = FIXTURES.trim_end().split("\n\n").map(parse_case).collect();
    assert!(cases.len() > 300, "{} cases", cases.len());
    for case in cases {
        let shown = format!("{:?}", case.data);
        assert_eq!(text(case.data), case.text, "{shown}");
    }
}

#[test]
fn debug_shows_what_the_tensor_is_and_its_values() {
    let x = Tensor::<1, Int, Cpu>::from_ints([3, -4], &CpuDevice);
    assert_eq!(format!("{x:?}"), "Tensor { kind: int, shape: [2], dtype: i64, device: cpu }\n[ 3 -4]");
}
