//! Tests of ops, for their authors.
