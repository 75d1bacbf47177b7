//! What a backend has for an op, as far as its sources say.

use opswitch_codegen::survey::{Implementation, Implementor, MacroCall, Op};

use super::{
    build::{Builder, Listed},
    coverage::Cell,
};

impl Builder<'_> {
    /// What the backend has for the op, or a note that says why that is not seen.
    pub(super) fn seen(&self, trait_: usize, op: &Op, backend: &Listed<'_>) -> Result<Cell, String> {
        if self.traits[trait_].any_backend {
            return Ok(Cell::DefaultBody);
        }
        let implementations: Vec<(usize, &Implementation)> = self.implementations[trait_]
            .iter()
            .copied()
            .filter(|(file, implementation)| self.is_of(*file, implementation, backend))
            .collect();
        if implementations.is_empty() {
            return self.not_implemented(trait_, backend);
        }
        if implementations.iter().any(|(file, it)| self.has_function(*file, it, &op.name)) {
            return Ok(Cell::Kernel);
        }
        for (file, implementation) in implementations {
            if let Some(call) =
                implementation.macro_calls.iter().find(|call| !self.is_transparent(file, call))
            {
                return Err(self.hidden(trait_, backend, file, call, "may hold methods"));
            }
        }
        Ok(if op.default_body { Cell::DefaultBody } else { Cell::Missing })
    }

    fn is_of(&self, file: usize, implementation: &Implementation, backend: &Listed<'_>) -> bool {
        match &implementation.implementor {
            Implementor::Every => true,
            Implementor::Type(name) => match self.scan.resolve(file, name, &self.backends) {
                // Neither is known, so that the names alone can tell.
                None => backend.backend.is_none() && name.last() == backend.path.last(),
                known => known == backend.backend,
            },
        }
    }

    /// Whether a function stands in the `impl`, or a macro in it is told to write it.
    fn has_function(&self, file: usize, implementation: &Implementation, name: &str) -> bool {
        let names = |call: &MacroCall| {
            call.words.contains(name)
                || self.scan.macro_definition(file, call).is_some_and(|it| it.words.contains(name))
        };
        implementation.functions.contains(name) || implementation.macro_calls.iter().any(names)
    }

    /// Whether all that a macro writes can be seen.
    fn is_transparent(&self, file: usize, call: &MacroCall) -> bool {
        self.scan.macro_definition(file, call).is_some_and(|definition| definition.transparent)
    }

    fn not_implemented(&self, trait_: usize, backend: &Listed<'_>) -> Result<Cell, String> {
        if backend.backend.is_none() {
            return Err(format!(
                "`{}`: no `impl Backend for {}` was found, so its kernels are not seen either",
                backend.name,
                backend.path.join("::")
            ));
        }
        let words = [Some(&self.traits[trait_].name), backend.path.last()];
        let speaks_of_both = |file: usize, call: &MacroCall| {
            let definition = self.scan.macro_definition(file, call);
            words
                .into_iter()
                .flatten()
                .all(|word| call.words.contains(word) || definition.is_some_and(|it| it.words.contains(word)))
        };
        match self.scan.macro_calls().find(|(file, call)| speaks_of_both(*file, call)) {
            Some((file, call)) => Err(self.hidden(trait_, backend, file, call, "may be its `impl`")),
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
