//! The argument that an error names, with the position inside.

use opswitch::{FloatTensor, IntTensor};
use opswitch_tests::TestDispatch;

use super::{
    float, int,
    ops::{Camera, ProbeOps},
};

type Float = FloatTensor<TestDispatch>;
type Int = IntTensor<TestDispatch>;

/// The arguments of `ProbeOps::everywhere`.
struct Arguments {
    by_value: Float,
    optional: Option<Float>,
    tensors: Vec<Float>,
    array: [Float; 2],
    pair: (usize, Int),
    boxed: Box<Float>,
    nested: Vec<(Option<Float>, Float)>,
    borrowed: Float,
    slice: Vec<Float>,
    camera: Camera<TestDispatch>,
    keyword: Int,
}

impl Arguments {
    /// All on one device.
    fn on(place: &str) -> Self {
        Self {
            by_value: float(place),
            optional: Some(float(place)),
            tensors: vec![float(place), float(place), float(place)],
            array: [float(place), float(place)],
            pair: (3, int(place)),
            boxed: Box::new(float(place)),
            nested: vec![(None, float(place)), (Some(float(place)), float(place))],
            borrowed: float(place),
            slice: vec![float(place), float(place)],
            camera: Camera { position: float(place), pixels: (8, int(place)) },
            keyword: int(place),
        }
    }

    /// The argument that is refused.
    fn refused(self) -> Option<String> {
        let result = TestDispatch::everywhere(
            self.by_value,
            self.optional,
            self.tensors,
            self.array,
            self.pair,
            self.boxed,
            self.nested,
            &self.borrowed,
            &self.slice,
            self.camera,
            self.keyword,
        );
        result.err().map(|error| error.argument().expect("an argument is at fault").to_owned())
    }
}

#[test]
fn every_position_is_named() {
    for (here, elsewhere) in
        [("cpu", "npu:1"), ("npu:0", "npu:1"), ("npu:1", "autodiff(cpu)"), ("autodiff(cpu)", "npu")]
    {
        let refused = |misplace: fn(&mut Arguments, Float, Int)| {
            let mut arguments = Arguments::on(here);
            misplace(&mut arguments, float(elsewhere), int(elsewhere));
            arguments.refused().expect("something is elsewhere")
        };
        assert_eq!(Arguments::on(here).refused(), None);
        assert_eq!(refused(|all, x, _| all.optional = Some(x)), "optional");
        assert_eq!(refused(|all, x, _| all.tensors[2] = x), "tensors[2]");
        assert_eq!(refused(|all, x, _| all.array[1] = x), "array[1]");
        assert_eq!(refused(|all, _, x| all.pair.1 = x), "pair.1");
        assert_eq!(refused(|all, x, _| *all.boxed = x), "boxed");
        assert_eq!(refused(|all, x, _| all.nested[1].0 = Some(x)), "nested[1].0");
        assert_eq!(refused(|all, x, _| all.nested[0].1 = x), "nested[0].1");
        assert_eq!(refused(|all, x, _| all.borrowed = x), "borrowed");
        assert_eq!(refused(|all, x, _| all.slice[1] = x), "slice[1]");
        assert_eq!(refused(|all, x, _| all.camera.position = x), "camera.position");
        assert_eq!(refused(|all, _, x| all.camera.pixels.1 = x), "camera.pixels.1");
        assert_eq!(refused(|all, _, x| all.keyword = x), "type");
    }
}
