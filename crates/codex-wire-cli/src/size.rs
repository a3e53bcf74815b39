//! Writes numbers of bytes for people.

/// A number of bytes, in the largest unit in which it is whole.
pub(crate) fn text(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let whole = units
        .iter()
        .find(|(shift, _)| bytes > 0 && bytes.trailing_zeros() >= *shift);
    match whole {
        Some((shift, unit)) => format!("{} {unit}", bytes >> shift),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units() {
        for (bytes, shown) in [
            (0, "0 bytes"),
            (1, "1 bytes"),
            (1_023, "1023 bytes"),
            (4_096, "4 KiB"),
            (64 << 20, "64 MiB"),
            (4 << 30, "4 GiB"),
            (3 << 40, "3072 GiB"),
        ] {
            assert_eq!(text(bytes), shown);
        }
    }
}
