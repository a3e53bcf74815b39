//! Scripts: short descriptions of a run, from which a stream of any release is made.
