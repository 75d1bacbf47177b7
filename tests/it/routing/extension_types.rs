//! Structs and enums of tensors.

use std::marker::PhantomData;

use opswitch::{
    Backend, BoolTensor, Device, ExtensionType, FloatTensor, IntTensor, TensorHandle, backend_extension,
    ops::FloatOps,
};
use opswitch_cpu::Cpu;
use opswitch_tests::{Npu, TestDispatch};

use super::{PLACES, assert_float, bool, device, float, int, ints};

/// Named fields, some of them plain, one with a raw name.
#[derive(Clone, Debug, ExtensionType)]
pub struct Camera<B: Backend> {
    pub position: FloatTensor<B>,
    pub r#type: Option<IntTensor<B>>,
    pub name: &'static str,
    pub device: Device<B>,
}

#[derive(Clone, Debug, ExtensionType)]
pub struct Ray<B: Backend>(pub FloatTensor<B>, pub usize, pub Vec<BoolTensor<B>>);

/// No tensor at all.
#[derive(Clone, Debug, Default, ExtensionType)]
pub struct Marker<B: Backend> {
    backend: PhantomData<B>,
}

/// Markers that say nothing of ownership.
#[derive(Clone, Debug, ExtensionType)]
pub struct Markers<'a, B: Backend, T: Clone> {
    made: PhantomData<fn() -> B>,
    taken: PhantomData<fn(B)>,
    pointed: PhantomData<*const B>,
    other: PhantomData<&'a T>,
}

impl<B: Backend, T: Clone> Markers<'_, B, T> {
    fn new() -> Self {
        Self { made: PhantomData, taken: PhantomData, pointed: PhantomData, other: PhantomData }
    }
}

/// Fields of fields.
#[derive(Clone, Debug, ExtensionType)]
pub struct Scene<B: Backend> {
    pub camera: Camera<B>,
    pub rays: Vec<(Ray<B>, f64)>,
    pub marker: Marker<B>,
    pub light: Light<B>,
}

#[derive(Clone, Debug, ExtensionType)]
pub enum Light<B: Backend> {
    Off,
    Sun(FloatTensor<B>),
    Lamp { place: FloatTensor<B>, index: IntTensor<B>, watts: f32 },
    Both(Box<Self>, Ray<B>),
}

/// Generic in more than the backend, which has another name.
#[derive(Clone, Debug, ExtensionType)]
#[extension(backend = Place)]
pub struct Tagged<'a, T: Clone, Place: Backend, const N: usize = 1>
where
    T: PartialEq<T>,
    Place: Send,
{
    pub tags: [T; N],
    pub name: &'a str,
    pub tensors: [FloatTensor<Place>; N],
}

/// What holds no tensors, and stands beside them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ExtensionType)]
#[extension(plain)]
pub enum Order {
    Rising,
    Falling,
}

#[backend_extension(dispatch = TestDispatch)]
#[backward(none)]
pub trait SceneOps: FloatOps {
    fn turned(x: (FloatTensor<Self>, Order)) -> (Order, FloatTensor<Self>) {
        match x.1 {
            Order::Rising => (Order::Falling, Self::float_neg(x.0)),
            Order::Falling => (Order::Rising, x.0),
        }
    }

    fn moved(camera: Camera<Self>, by: f64) -> Camera<Self> {
        Camera { position: Self::float_add_scalar(camera.position, by), ..camera }
    }

    fn peek(camera: &Camera<Self>, rays: &[Ray<Self>]) -> FloatTensor<Self> {
        rays.iter().fold(camera.position.clone(), |sum, ray| Self::float_add(sum, ray.0.clone()))
    }

    fn scene(scene: Scene<Self>) -> Scene<Self> {
        scene
    }

    fn shine(light: Light<Self>, device: &Device<Self>) -> (Light<Self>, FloatTensor<Self>) {
        let sum = match light.clone() {
            Light::Off => Self::float_zeros([1].into(), opswitch::DType::F64, device),
            Light::Sun(x) => x,
            Light::Lamp { place, index, watts } => {
                let index = Self::int_into_float(index, opswitch::DType::F64);
                Self::float_add_scalar(Self::float_add(place, index), f64::from(watts))
            }
            Light::Both(light, ray) => Self::float_add(Self::shine(*light, device).1, ray.0),
        };
        (light, sum)
    }

    fn tagged(x: Tagged<'_, String, Self, 2>) -> FloatTensor<Self> {
        let [a, b] = x.tensors;
        Self::float_add_scalar(Self::float_add(a, b), (x.tags.concat().len() + x.name.len()) as f64)
    }

    fn mark(marker: Marker<Self>, device: Device<Self>) -> Marker<Self> {
        drop(device);
        marker
    }

    fn markers<'a>(markers: Markers<'a, Self, String>, device: &Device<Self>) -> Markers<'a, Self, String> {
        let _ = device;
        markers
    }
}

impl SceneOps for Cpu {}
impl SceneOps for Npu {}

fn camera(place: &str) -> Camera<TestDispatch> {
    Camera {
        position: float(&[1.0], place),
        r#type: Some(int(&[1], place)),
        name: "front",
        device: device(place),
    }
}

fn ray(place: &str) -> Ray<TestDispatch> {
    Ray(float(&[2.0], place), 3, vec![bool(&[true], place)])
}

#[test]
fn structs() {
    for place in PLACES {
        let moved = TestDispatch::moved(camera(place), 1.0);
        assert_float(moved.position, place, &[2.0]);
        assert_eq!(ints::<TestDispatch>(moved.r#type.expect("it was there")), [1]);
        assert_eq!((moved.name, moved.device), ("front", device(place)));
        assert_float(TestDispatch::peek(&camera(place), &[ray(place), ray(place)]), place, &[5.0]);
        let Marker { backend: PhantomData } = TestDispatch::mark(Marker::default(), device(place));
        let markers = TestDispatch::markers(Markers::new(), &device(place));
        assert_eq!(size_of_val(&markers), 0);
    }
}

#[test]
fn nested_structs() {
    for place in PLACES {
        let scene = Scene {
            camera: camera(place),
            rays: vec![(ray(place), 0.5)],
            marker: Marker::default(),
            light: Light::Sun(float(&[4.0], place)),
        };
        let Scene { camera, rays, light, .. } = TestDispatch::scene(scene);
        assert_float(camera.position, place, &[1.0]);
        let (Ray(direction, count, masks), weight) = rays[0].clone();
        assert_float(direction, place, &[2.0]);
        assert_eq!((count, masks.len(), weight), (3, 1, 0.5));
        let Light::Sun(sun) = light else { panic!("the variant stays") };
        assert_float(sun, place, &[4.0]);
    }
}

#[test]
fn enums() {
    for place in PLACES {
        let lamp = || Light::Lamp { place: float(&[1.0], place), index: int(&[2], place), watts: 4.0 };
        let both = Light::Both(Box::new(lamp()), ray(place));
        for (light, expected) in
            [(Light::Off, 0.0), (Light::Sun(float(&[1.0], place)), 1.0), (lamp(), 7.0), (both, 9.0)]
        {
            let discriminant = std::mem::discriminant(&light);
            let (light, sum) = TestDispatch::shine(light, &device(place));
            assert_eq!(std::mem::discriminant(&light), discriminant);
            assert_float(sum, place, &[expected]);
        }
    }
}

#[test]
fn more_generics() {
    for place in PLACES {
        let name = String::from("name");
        let tags = ["a".to_owned(), "bc".to_owned()];
        let tagged = Tagged { tags, name: &name, tensors: [float(&[1.0], place), float(&[2.0], place)] };
        assert_float(TestDispatch::tagged(tagged), place, &[10.0]);
    }
}

#[test]
fn the_backend_is_found_inside() {
    let tracked = Light::Both(Box::new(Light::Off), ray("autodiff(npu:1)"));
    let (light, sum) = TestDispatch::shine(tracked, &device("npu:1"));
    assert_eq!(sum.device(), device("autodiff(npu:1)"));
    let Light::Both(_, Ray(direction, ..)) = light else { panic!("the variant stays") };
    assert_eq!(direction.device(), device("autodiff(npu:1)"));
}

#[test]
fn a_plain_type_passes_as_it_is() {
    for place in PLACES {
        let (order, x) = TestDispatch::turned((float(&[1.0, -2.0], place), Order::Rising));
        assert_eq!(order, Order::Falling);
        assert_float(x, place, &[-1.0, 2.0]);
    }
}
