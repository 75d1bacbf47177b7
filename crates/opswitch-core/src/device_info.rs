//! What is known of devices, and the table of them.

use std::fmt;

use crate::{
    backend::{Backend, Device},
    dtype::DType,
};

/// What sort of processor a device is. Better ones come first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum DeviceKind {
    /// A processor with memory of its own, made for this.
    DiscreteGpu,
    /// One that shares memory with the CPU.
    IntegratedGpu,
    /// A part of one that a virtual machine was given.
    VirtualGpu,
    /// Not known.
    #[default]
    Other,
    /// The CPU, or software that runs on it.
    Cpu,
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::DiscreteGpu => "discrete GPU",
            Self::IntegratedGpu => "integrated GPU",
            Self::VirtualGpu => "virtual GPU",
            Self::Cpu => "CPU",
            Self::Other => "-",
        })
    }
}

/// What is known of a device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceInfo {
    /// What its maker calls it.
    pub name: String,
    /// What sort of processor it is.
    pub kind: DeviceKind,
    /// What it is reached through: `Vulkan`, `CUDA`.
    pub api: String,
}

impl DeviceInfo {
    /// A device of this name and kind, reached through `api`.
    pub fn new(name: impl Into<String>, kind: DeviceKind, api: impl Into<String>) -> Self {
        Self { name: name.into(), kind, api: api.into() }
    }
}

/// The devices that this machine has, as a person reads them. Made by [`DeviceTable::of`].
#[derive(Clone, Debug)]
pub struct DeviceTable {
    rows: Vec<[String; 5]>,
}

const TITLES: [&str; 5] = ["device", "kind", "api", "name", "element types"];

impl DeviceTable {
    /// The devices of a backend; of every backend that it lists, where it is a dispatch.
    pub fn of<B: Backend>() -> Self {
        Self { rows: B::devices().iter().map(row::<B>).collect() }
    }

    /// Whether there is no device.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

fn row<B: Backend>(device: &Device<B>) -> [String; 5] {
    let DeviceInfo { name, kind, api } = B::device_info(device);
    let (has, lacks): (Vec<DType>, Vec<DType>) =
        DType::ALL.into_iter().partition(|&dtype| B::supports(dtype, device));
    let types = if lacks.is_empty() {
        "all".to_owned()
    } else {
        has.into_iter().map(DType::name).collect::<Vec<_>>().join(" ")
    };
    [device.to_string(), kind.to_string(), api, name, types]
}

impl fmt::Display for DeviceTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let titles = TITLES.map(str::to_owned);
        let lines = || std::iter::once(&titles).chain(&self.rows);
        let width = |column: usize| lines().map(|line| line[column].chars().count()).max().unwrap_or(0);
        for line in lines() {
            let [first, middle @ .., last] = line;
            write!(f, "{first:<0$}", width(0))?;
            for (column, text) in middle.iter().enumerate() {
                write!(f, "  {text:<0$}", width(column + 1))?;
            }
            writeln!(f, "  {last}")?;
        }
        Ok(())
    }
}
