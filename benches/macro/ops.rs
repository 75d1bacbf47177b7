//! One trait of ops, under one macro or the other.
//!
//! The ops differ in nothing but their names: two tensors in, one out, the product of them. In the variant `formulas`
//! each has a gradient of its own: a formula on our side; on burn's, whose macro writes no backward pass, what its guide
//! shows. Else the gradient is that of the default body, which both can use.

/// The number of ops.
pub(crate) const OPS: usize = 100;

/// What the two sides write in different words.
pub(crate) struct Side {
    attribute: &'static str,
    supertrait: &'static str,
    /// Stands above each op, by the variant.
    default: &'static str,
    formulas: &'static str,
    /// The backends whose kernels are written out.
    backends: [&'static str; 3],
    /// The implementation for autodiff, if it isn't generated.
    autodiff: Option<&'static str>,
    /// One of its ops in the variant `formulas`, with `NAME` for the name.
    backward: &'static str,
}

/// Our macro.
pub(crate) const OPSWITCH: Side = Side {
    attribute: "#[backend_extension(dispatch = Dispatch)]\n",
    supertrait: "FloatOps",
    default: "    #[backward(default)]\n",
    formulas: "    #[backward {
        lhs => B::float_mul(grad, rhs);
        rhs => B::float_mul(grad, lhs);
    }]\n",
    backends: ["Cpu", "First", "Second"],
    autodiff: None,
    backward: "",
};

/// Burn's.
pub(crate) const BURN: Side = Side {
    attribute: "#[backend_extension(Flex, Capture, Group, Autodiff)]\n",
    supertrait: "Backend",
    default: "",
    formulas: "",
    backends: ["Flex", "Capture", "Group"],
    autodiff: Some("impl<B: Ops, C: CheckpointStrategy> Ops for Autodiff<B, C>"),
    backward: "    fn NAME(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> FloatTensor<Self> {
        #[derive(Debug)]
        struct Step;

        impl<B: Ops> Backward<B, 2> for Step {
            type State = (NodeId, NodeId);

            fn backward(
                self,
                ops: BackwardOps<Self::State, 2>,
                grads: &mut Gradients,
                checkpointer: &mut Checkpointer,
            ) {
                let [lhs_node, rhs_node] = ops.parents;
                let (lhs, rhs) = ops.state;
                let grad = grads.consume::<B>(&ops.node);
                let lhs: FloatTensor<B> = checkpointer.retrieve_node_output(lhs);
                let rhs: FloatTensor<B> = checkpointer.retrieve_node_output(rhs);
                if let Some(node) = lhs_node {
                    grads.register::<B>(node.id, B::float_mul(grad.clone(), rhs));
                }
                if let Some(node) = rhs_node {
                    grads.register::<B>(node.id, B::float_mul(grad, lhs));
                }
            }
        }

        match Step.prepare::<C>([lhs.node(), rhs.node()]).compute_bound().stateful() {
            OpsKind::Tracked(mut step) => {
                let state = (step.checkpoint(&lhs), step.checkpoint(&rhs));
                step.finish(state, B::NAME(lhs.into_primitive(), rhs.into_primitive()))
            }
            OpsKind::UnTracked(step) => {
                step.finish(B::NAME(lhs.into_primitive(), rhs.into_primitive()))
            }
        }
    }\n",
};

impl Side {
    /// The trait, and what implements it. `bare` leaves the macro out, to tell what it adds.
    pub(crate) fn text(&self, formulas: bool, bare: bool) -> String {
        let names: Vec<String> = (0..OPS).map(|op| format!("op_{op:02}")).collect();
        let items =
            [self.trait_(&names, formulas, bare), self.kernels(&names), self.autodiff(&names, formulas)];
        items.join("\n")
    }

    fn trait_(&self, names: &[String], formulas: bool, bare: bool) -> String {
        let gradient = if formulas { self.formulas } else { self.default };
        let (attribute, gradient) = if bare { ("", "") } else { (self.attribute, gradient) };
        let ops = names.iter().map(|name| {
            let body = if formulas { ";".to_owned() } else { format!(" {KERNEL}") };
            format!("{gradient}{}{body}\n", signature(name))
        });
        format!("{attribute}pub trait Ops: {} {{\n{}}}\n", self.supertrait, ops.collect::<String>())
    }

    fn kernels(&self, names: &[String]) -> String {
        let ops: Vec<String> = names.iter().map(|name| format!("{} {KERNEL}\n", signature(name))).collect();
        let ops = ops.concat();
        let impls = self.backends.map(|backend| format!("impl Ops for {backend} {{\n{ops}}}\n"));
        impls.join("\n")
    }

    fn autodiff(&self, names: &[String], formulas: bool) -> String {
        let Some(autodiff) = self.autodiff else { return String::new() };
        let steps = names.iter().filter(|_| formulas).map(|name| self.backward.replace("NAME", name));
        format!("{autodiff} {{\n{}}}\n", steps.collect::<String>())
    }
}

/// The body of an op, on every backend and as a default.
const KERNEL: &str = "{\n        Self::float_mul(lhs, rhs)\n    }";

fn signature(name: &str) -> String {
    format!("    fn {name}(lhs: FloatTensor<Self>, rhs: FloatTensor<Self>) -> FloatTensor<Self>")
}
