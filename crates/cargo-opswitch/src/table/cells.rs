//! What a backend has for an op, as far as its sources say.

use opswitch_codegen::survey::{Implementation, Implementor, MacroCall, Op};

use super::{
    build::{Builder, Listed},
    coverage::Cell,
};

impl Builder<'_> {
    /// What the backend has for the op, or a note that says why that is not seen.
    pub(super) fn seen(&self, trait_: usize, op: &Op, backend: &Listed<'_>) -> Result<Cell, String> {
        let implementations: Vec<(usize, &Implementation)> = self.implementations[trait_]
            .iter()
            .copied()
            .filter(|(file, implementation)| self.is_of(*file, implementation, backend))
            .collect();
        if implementations.is_empty() {
            return self.not_implemented(trait_, backend);
        }
        if implementations.iter().any(|(_, implementation)| self.has_function(implementation, &op.name)) {
            return Ok(Cell::Kernel);
        }
        for (file, implementation) in implementations {
            if let Some(call) = implementation.macro_calls.iter().find(|call| !self.is_transparent(call)) {
                return Err(self.hidden(trait_, backend, file, call, "may hold methods"));
            }
        }
        Ok(if op.default_body { Cell::DefaultBody } else { Cell::Missing })
    }

    fn is_of(&self, file: usize, implementation: &Implementation, backend: &Listed<'_>) -> bool {
        match (&implementation.implementor, backend.backend) {
            (Implementor::Every, _) => true,
            (Implementor::Type(name), Some(backend)) => {
                self.scan.resolve(file, name, &self.backends) == Some(backend)
            }
            (Implementor::Type(name), None) => name.last().is_some_and(|last| last == backend.name),
        }
    }

    /// Whether a function stands in the `impl`, or a macro in it is told to write it.
    fn has_function(&self, implementation: &Implementation, name: &str) -> bool {
        let names = |call: &MacroCall| {
            call.words.contains(name)
                || self.scan.macro_definition(call).is_some_and(|definition| definition.words.contains(name))
        };
        implementation.functions.contains(name) || implementation.macro_calls.iter().any(names)
    }

    /// Whether all that a macro writes can be seen.
    fn is_transparent(&self, call: &MacroCall) -> bool {
        self.scan.macro_definition(call).is_some_and(|definition| definition.transparent)
    }

    fn not_implemented(&self, trait_: usize, backend: &Listed<'_>) -> Result<Cell, String> {
        let name = &self.traits[trait_].name;
        let speaks_of_both = |call: &MacroCall| {
            let definition = self.scan.macro_definition(call);
            [name, backend.name].iter().all(|word| {
                call.words.contains(*word)
                    || definition.is_some_and(|definition| definition.words.contains(*word))
            })
        };
        match self.scan.macro_calls().find(|(_, call)| speaks_of_both(call)) {
            Some((file, call)) => Err(self.hidden(trait_, backend, file, call, "may be its `impl`")),
            None if backend.backend.is_none() => Err(format!(
                "`{0}`: no `impl Backend for {0}` was found, so its kernels are not seen either",
                backend.name
            )),
            None => Ok(Cell::Missing),
        }
    }

    fn hidden(
        &self,
        trait_: usize,
        backend: &Listed<'_>,
        file: usize,
        call: &MacroCall,
        why: &str,
    ) -> String {
        let (name, macro_) = (&self.traits[trait_].name, call.macro_.join("::"));
        let place = self.scan.place(file, call.line);
        format!(
            "`{name}` for `{}`: the macro `{macro_}!` at {place} {why}, and what a macro writes is not seen",
            backend.name
        )
    }
}
