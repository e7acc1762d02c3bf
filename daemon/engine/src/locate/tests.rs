//! Tests of this room; they change nothing.
