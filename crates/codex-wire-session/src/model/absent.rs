//! What JSON leaves out.

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
pub(super) fn is_false(value: &bool) -> bool {
    !value
}
