//! Where in its line an element of an array begins.

/// How much of a line comes before an element of an array.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// In bytes.
    pub bytes: u64,
    /// In Unicode characters, if it is UTF-8.
    pub characters: u64,
}

impl Column {
    /// Goes on by a byte.
    pub(super) fn advance(&mut self, byte: u8) {
        if byte == b'\n' {
            *self = Column::default();
            return;
        }
        self.bytes += 1;
        // Other bytes of a character go on with it.
        self.characters += u64::from(byte & 0xc0 != 0x80);
    }
}
