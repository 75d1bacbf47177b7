//! Who reduces what.

use opswitch_core::layout::Blocks;

use crate::launch::MAX_STEPS;

/// Invocations of a group, and of a team.
pub(super) const GROUP: usize = 64;

/// Elements of a row that one team reduces at most.
const TEAM_PIECE: usize = 64 * GROUP;

/// Elements of a column that one invocation reduces at least, where there are so many.
const PIECE: usize = 256;

/// Invocations that keep a device busy.
const ENOUGH: usize = 1 << 14;

/// Which invocations do a task, the reduction of a piece of a row or column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Team {
    /// One alone. Neighbours read neighbouring columns.
    Invocation,
    /// A group together. Neighbours read neighbouring elements of a row.
    Group,
}

impl Team {
    /// The team for rows or columns of this length, which are `inner` apart.
    pub(super) fn new(len: usize, inner: usize) -> Self {
        if inner == 1 && len >= 2 * GROUP { Self::Group } else { Self::Invocation }
    }

    /// The text for the placeholder `team`.
    pub(super) fn source(self) -> &'static str {
        match self {
            Self::Invocation => include_str!("../kernels/task_of_invocation.wgsl"),
            Self::Group => include_str!("../kernels/task_of_group.wgsl"),
        }
    }

    /// The elements of a row or column that an invocation sees, of `len` in all.
    pub(super) fn share(self, len: usize) -> usize {
        match self {
            Self::Invocation => len,
            Self::Group => len.div_ceil(GROUP),
        }
    }

    /// The invocations that do `tasks`.
    pub(super) fn invocations(self, tasks: usize) -> usize {
        match self {
            Self::Invocation => tasks,
            Self::Group => tasks * GROUP,
        }
    }
}

/// How a reduction is cut into tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) team: Team,
    /// The elements in a piece.
    pub(super) piece: usize,
    /// The pieces of each row or column. More than one are reduced again.
    pub(super) pieces: usize,
}

impl Plan {
    pub(super) fn new(blocks: Blocks) -> Self {
        let team = Team::new(blocks.reduced, blocks.inner);
        let piece = match team {
            Team::Group => TEAM_PIECE,
            Team::Invocation => {
                let wanted = (ENOUGH / blocks.num_results().max(1)).max(1);
                blocks.reduced.div_ceil(wanted).clamp(PIECE, MAX_STEPS)
            }
        };
        Self { team, piece, pieces: blocks.reduced.div_ceil(piece).max(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_rows_are_cut_and_many_columns_are_not() {
        let row = Plan::new(Blocks { outer: 1, reduced: 10_000_000, inner: 1 });
        assert_eq!((row.team, row.pieces), (Team::Group, 2442));
        let columns = Plan::new(Blocks { outer: 1, reduced: 1000, inner: 1 << 14 });
        assert_eq!((columns.team, columns.pieces), (Team::Invocation, 1));
        let few_columns = Plan::new(Blocks { outer: 1, reduced: 1 << 20, inner: 2 });
        assert_eq!((few_columns.team, few_columns.pieces), (Team::Invocation, 4096));
    }

    #[test]
    fn nothing_is_one_piece() {
        assert_eq!(Plan::new(Blocks { outer: 3, reduced: 0, inner: 1 }).pieces, 1);
        assert_eq!(Plan::new(Blocks { outer: 0, reduced: 5, inner: 1 }).pieces, 1);
    }
}
