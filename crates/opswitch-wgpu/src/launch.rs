//! Launching a kernel.

use std::{num::NonZeroU64, sync::Arc};

use opswitch_core::DeviceError;
use smallvec::SmallVec;

use crate::{
    batch::{Command, PARAMS_WINDOW},
    context::Context,
    kernel::{Kernel, Values},
    pipeline::{BindingKinds, ProgramKey},
    tensor::{WgpuTensor, byte_offset, device_size},
};

/// Groups in one dimension of a grid, on every device.
const MAX_GROUPS: u32 = 65_535;

/// Steps that the loops of an invocation may take, all together.
///
/// A driver may end loops that take longer, and say nothing: Mesa's in software does so after 65,535 steps.
pub(crate) const MAX_STEPS: usize = 1 << 15;

/// Tensors of a launch.
const MAX_BINDINGS: usize = 32;

/// A kernel with its bindings, in the order in which they are given, and its parameters, which are the last binding.
///
/// ```
/// use opswitch_core::{Backend, DType, TensorData, TensorHandle};
/// use opswitch_wgpu::{Kernel, Launch, Wgpu, WgpuTensor};
///
/// // In a `.wgsl` file of its own, by `include_str!`, this is easier to read.
/// static SCALE: Kernel = Kernel::new(
///     "scale",
///     "
///     struct Params { len: u32, factor: f32 }
///
///     @group(0) @binding(0) var<storage, read> x: array<f32>;
///     @group(0) @binding(1) var<storage, read_write> y: array<f32>;
///     @group(0) @binding(2) var<uniform> params: Params;
///
///     {{shared/index}}
///
///     @compute @workgroup_size(64)
///     fn main(
///         @builtin(workgroup_id) group: vec3<u32>,
///         @builtin(num_workgroups) groups: vec3<u32>,
///         @builtin(local_invocation_index) local: u32,
///     ) {
///         let i = linear_index(group, groups, local, 64u);
///         if i < params.len {
///             y[i] = params.factor * x[i];
///         }
///     }
///     ",
/// );
///
/// fn scale(x: &WgpuTensor, factor: f32) -> WgpuTensor {
///     let y = x.new_output("scale", x.shape(), DType::F32);
///     let len = x.shape().num_elements();
///     Launch::new("scale", &SCALE)
///         .input(x)
///         .output(&y)
///         .params(&[len as u32, factor.to_bits()])
///         .dispatch_each(len, 64);
///     y
/// }
///
/// if let Some(&device) = Wgpu::devices().first() {
///     let x = WgpuTensor::from_data(&TensorData::new(vec![1f32, 2.0], [2])?, device)?;
///     assert_eq!(scale(&x, 3.0).into_data()?.as_slice::<f32>()?, [3.0, 6.0]);
/// }
/// # Ok::<(), opswitch_core::DataError>(())
/// ```
#[derive(Debug)]
#[must_use = "a launch does nothing until it is dispatched"]
pub struct Launch<'a> {
    op: &'static str,
    kernel: &'static Kernel,
    variant: u64,
    rank: u32,
    values: Option<VariantValues<'a>>,
    bindings: SmallVec<[Binding<'a>; 4]>,
    kinds: BindingKinds,
    params: &'a [u32],
}

struct VariantValues<'a>(&'a dyn Fn() -> Values);

#[derive(Debug)]
struct Binding<'a> {
    tensor: Bound<'a>,
    written: bool,
    /// Whether the whole buffer is bound, wherever in it the elements of the tensor lie.
    whole: bool,
}

#[derive(Debug)]
enum Bound<'a> {
    Given(&'a WgpuTensor),
    Copied(WgpuTensor),
}

impl<'a> Launch<'a> {
    /// A launch of `kernel` for the op `op`, which errors name.
    #[inline]
    pub fn new(op: &'static str, kernel: &'static Kernel) -> Self {
        let (bindings, kinds) = (SmallVec::new(), BindingKinds::default());
        Self { op, kernel, variant: 0, rank: 0, values: None, bindings, kinds, params: &[] }
    }

    /// The values for the kernel's placeholders. They are asked for once for each number `variant` and device.
    #[inline]
    pub fn variant(mut self, variant: u64, values: &'a dyn Fn() -> Values) -> Self {
        self.variant = variant;
        self.values = Some(VariantValues(values));
        self
    }

    /// The number of loops over strided tensors: the value of the placeholder `rank`.
    #[inline]
    pub(crate) fn rank(mut self, rank: u32) -> Self {
        self.rank = rank;
        self
    }

    /// A tensor that the kernel reads, in row-major order from the start of the binding. A view that does not lie like
    /// that is copied first.
    #[inline]
    pub fn input(mut self, tensor: &'a WgpuTensor) -> Self {
        let tensor = if is_bindable(tensor) {
            Bound::Given(tensor)
        } else {
            Bound::Copied(tensor.clone().contiguous(self.op))
        };
        self.push(Binding { tensor, written: false, whole: false });
        self
    }

    /// A tensor that the kernel writes; it may read it too.
    #[inline]
    pub fn output(mut self, tensor: &'a WgpuTensor) -> Self {
        self.push(Binding { tensor: Bound::Given(tensor), written: true, whole: false });
        self
    }

    /// The whole buffer of a tensor that the kernel reads, which knows its strides and offset.
    #[inline]
    pub(crate) fn storage(mut self, tensor: &'a WgpuTensor) -> Self {
        self.push(Binding { tensor: Bound::Given(tensor), written: false, whole: true });
        self
    }

    /// The whole buffer of a tensor that the kernel writes, padding included.
    #[inline]
    pub(crate) fn output_storage(mut self, tensor: &'a WgpuTensor) -> Self {
        self.push(Binding { tensor: Bound::Given(tensor), written: true, whole: true });
        self
    }

    /// The parameters, in words of 32 bits, for a uniform binding of up to 1024 bytes. A float is given as its bits.
    #[inline]
    pub fn params(mut self, params: &'a [u32]) -> Self {
        self.params = params;
        self.kinds.has_params = true;
        self
    }

    /// Runs at least `invocations` invocations, in groups of `group_size` along one dimension.
    ///
    /// Grids with more than 65,535 groups have a second dimension; `linear_index` of `{{shared/index}}` undoes that.
    pub fn dispatch_each(self, invocations: usize, group_size: usize) {
        self.dispatch(fold(invocations.div_ceil(group_size)));
    }

    /// Runs this many groups.
    ///
    /// What goes wrong becomes the error that every output carries from then on: that of an input, a lost device, a kernel
    /// that does not compile, more than 65,535 groups in a dimension or 32 tensors, tensors of several devices, or an output
    /// that is a view or shares its memory with another binding.
    pub fn dispatch(self, groups: [u32; 3]) {
        if let Err(error) = self.try_dispatch(groups) {
            self.fail(&error);
        }
    }

    fn push(&mut self, binding: Binding<'a>) {
        self.kinds.push(binding.written);
        self.bindings.push(binding);
    }

    fn try_dispatch(&self, groups: [u32; 3]) -> Result<(), DeviceError> {
        if let Some(error) = self.bindings.iter().find_map(|binding| binding.tensor().failure()) {
            return Err(error.clone());
        }
        let Some(context) = self.bindings.iter().find_map(|binding| binding.tensor().context()) else {
            return Ok(());
        };
        if groups.contains(&0) || self.outputs().all(|output| output.layout().num_elements() == 0) {
            return Ok(());
        }
        self.check(context, groups).map_err(|error| error.at_op(self.op))?;
        self.record(context, groups).map_err(|reason| context.error(reason).at_op(self.op))
    }

    /// Checks what would spoil the whole batch.
    fn check(&self, context: &Arc<Context>, groups: [u32; 3]) -> Result<(), DeviceError> {
        context.check()?;
        for index in 0..self.bindings.len() {
            self.check_binding(context, index)?;
        }
        let params_size = size_of_val(self.params) as u64;
        let reason = if groups.into_iter().any(|count| count > MAX_GROUPS) {
            format!("a grid of {groups:?} groups is above the limit of {MAX_GROUPS} a dimension")
        } else if params_size > PARAMS_WINDOW {
            format!("{params_size} bytes of parameters are above the limit of {PARAMS_WINDOW}")
        } else if self.bindings.len() > MAX_BINDINGS {
            format!("{} tensors are above the limit of {MAX_BINDINGS}", self.bindings.len())
        } else {
            return Ok(());
        };
        Err(context.error(reason))
    }

    fn check_binding(&self, context: &Arc<Context>, index: usize) -> Result<(), DeviceError> {
        let binding = &self.bindings[index];
        let tensor = binding.tensor();
        if let Some(other) = tensor.context()
            && !Arc::ptr_eq(other, context)
        {
            other.check()?;
            return Err(context.error(format!("a tensor is on `{}`; move it with `to_device`", other.id())));
        }
        let same = |other: &Binding<'_>| other.tensor().shares_memory(tensor);
        if binding.written && self.bindings.iter().enumerate().any(|(i, other)| i != index && same(other)) {
            return Err(context.error("an output shares its memory with another tensor of the launch"));
        }
        if !binding.whole && !is_bindable(tensor) {
            return Err(context.error("an output is a view; give one that `new_output` made"));
        }
        Ok(())
    }

    fn record(&self, context: &Context, groups: [u32; 3]) -> Result<(), Arc<str>> {
        let key = ProgramKey::new(self.kernel, self.variant, self.rank, self.kinds);
        let mut work = context.work();
        let program = work.pipelines.get(&context.device, key, self.kernel, &|| self.composed_values())?;
        if !work.batch.has_room(self.params.len()) {
            context.submit_work(&mut work);
        }
        let params_offset = self.kinds.has_params.then(|| work.batch.push_params(self.params));
        let bindings = self.bind_group(context, &program.layout, work.batch.arena());
        let command = Command { pipeline: &program.pipeline, bindings, params_offset, groups };
        work.batch.record(&context.device, &command);
        Ok(())
    }

    fn composed_values(&self) -> Values {
        let mut values = self.values.as_ref().map_or_else(Values::new, |values| (values.0)());
        if self.rank > 0 {
            values.push(("rank", self.rank.to_string().into()));
        }
        values
    }

    fn bind_group(
        &self,
        context: &Context,
        layout: &wgpu::BindGroupLayout,
        arena: &wgpu::Buffer,
    ) -> wgpu::BindGroup {
        let buffers = self.bindings.iter().map(|binding| binding.resource(context));
        let size = NonZeroU64::new(PARAMS_WINDOW);
        let params = self.kinds.has_params.then_some(wgpu::BufferBinding { buffer: arena, offset: 0, size });
        let entries: SmallVec<[wgpu::BindGroupEntry<'_>; 5]> = (0..)
            .zip(buffers.chain(params))
            .map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding,
                resource: wgpu::BindingResource::Buffer(buffer),
            })
            .collect();
        context.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout,
            entries: &entries,
        })
    }

    fn outputs(&self) -> impl Iterator<Item = &WgpuTensor> {
        self.bindings.iter().filter(|binding| binding.written).map(Binding::tensor)
    }

    #[cold]
    fn fail(&self, error: &DeviceError) {
        for output in self.outputs() {
            output.fail(error.clone());
        }
    }
}

impl Binding<'_> {
    fn tensor(&self) -> &WgpuTensor {
        match &self.tensor {
            Bound::Given(tensor) => tensor,
            Bound::Copied(tensor) => tensor,
        }
    }

    fn resource<'b>(&'b self, context: &'b Context) -> wgpu::BufferBinding<'b> {
        let tensor = self.tensor();
        let Some(allocation) = tensor.allocation() else {
            // A binding cannot be empty.
            return wgpu::BufferBinding { buffer: context.no_elements(), offset: 0, size: None };
        };
        let buffer = allocation.buffer();
        if self.whole {
            return wgpu::BufferBinding { buffer, offset: 0, size: None };
        }
        let bytes = tensor.layout().num_elements() as u64 * device_size(tensor.element_type());
        let size = NonZeroU64::new(bytes.next_multiple_of(wgpu::COPY_BUFFER_ALIGNMENT));
        wgpu::BufferBinding { buffer, offset: byte_offset(tensor), size }
    }
}

/// Whether a binding can start at the first element, with the others in row-major order behind it.
fn is_bindable(tensor: &WgpuTensor) -> bool {
    tensor.layout().is_contiguous()
        && (tensor.layout().offset() == 0
            || tensor
                .context()
                .is_none_or(|context| byte_offset(tensor).is_multiple_of(context.offset_alignment())))
}

/// The grid of at least `groups` groups.
fn fold(groups: usize) -> [u32; 3] {
    let rows = groups.div_ceil(MAX_GROUPS as usize).max(1);
    [groups.div_ceil(rows) as u32, rows as u32, 1]
}

impl std::fmt::Debug for VariantValues<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries((self.0)()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn grids_fold_where_a_dimension_is_full() {
        assert_eq!(fold(0), [0, 1, 1]);
        assert_eq!(fold(65_535), [65_535, 1, 1]);
        assert_eq!(fold(65_536), [32_768, 2, 1]);
        for groups in [1, 1000, 65_537, 1 << 20, (1 << 24) + 1] {
            let [x, y, z] = fold(groups).map(|count| count as usize);
            assert!(x <= 65_535 && x * y * z >= groups && x * y * z < groups + y, "{groups}");
        }
    }
}
