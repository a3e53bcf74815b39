//! For which system a program is, by its first bytes.

/// What the header of a program says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Executable {
    /// Of Linux.
    Elf {
        /// `e_machine`.
        machine: u16,
        /// Whether it names a dynamic linker: it needs libraries of the system.
        linked: bool,
    },
    /// Of macOS.
    MachO {
        /// `cputype`.
        cpu: u32,
    },
    /// Of Windows.
    Pe {
        /// `Machine`.
        machine: u16,
    },
}

impl Executable {
    /// Reads the header, if it is one of a 64-bit program with the lower byte first.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        if bytes.starts_with(b"\x7fELF\x02\x01") {
            return Some(Self::Elf {
                machine: short(bytes, 18)?,
                linked: has_interpreter(bytes)?,
            });
        }
        if bytes.starts_with(&[0xcf, 0xfa, 0xed, 0xfe]) {
            let cpu = long(bytes, 4)?;
            return Some(Self::MachO { cpu });
        }
        if bytes.starts_with(b"MZ") {
            let header = long(bytes, 0x3c)? as usize;
            let magic = bytes.get(header..header.checked_add(4)?)?;
            let machine = short(bytes, header + 4)?;
            return (magic == b"PE\0\0").then_some(Self::Pe { machine });
        }
        None
    }
}

/// Whether a program header is `PT_INTERP`.
fn has_interpreter(bytes: &[u8]) -> Option<bool> {
    const PT_INTERP: u32 = 3;
    let table = usize::try_from(u64::from_le_bytes(*bytes.get(32..)?.first_chunk()?)).ok()?;
    let (size, count) = (
        usize::from(short(bytes, 54)?),
        usize::from(short(bytes, 56)?),
    );
    let mut kinds = (0..count).map(|n| long(bytes, table.checked_add(n * size)?));
    Some(kinds.any(|kind| kind == Some(PT_INTERP)))
}

fn short(bytes: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

fn long(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

#[cfg(test)]
mod tests {
    use super::Executable;

    #[test]
    fn headers_are_told_apart() {
        let mut elf = vec![0; 64 + 56];
        elf[..6].copy_from_slice(b"\x7fELF\x02\x01");
        (elf[18], elf[32], elf[54], elf[56]) = (62, 64, 56, 1);
        let found = |linked| {
            Some(Executable::Elf {
                machine: 62,
                linked,
            })
        };
        assert_eq!(Executable::read(&elf), found(false));
        elf[64] = 3;
        assert_eq!(Executable::read(&elf), found(true));
        let mac = [0xcf, 0xfa, 0xed, 0xfe, 0x0c, 0, 0, 1];
        let cpu = 0x0100_000c;
        assert_eq!(Executable::read(&mac), Some(Executable::MachO { cpu }));
        let mut windows = vec![0; 0x80];
        windows[..2].copy_from_slice(b"MZ");
        windows[0x3c] = 0x40;
        windows[0x40..0x46].copy_from_slice(b"PE\0\0\x64\x86");
        assert_eq!(
            Executable::read(&windows),
            Some(Executable::Pe { machine: 0x8664 })
        );
        assert_eq!(Executable::read(b"#!/bin/sh\n"), None);
        assert_eq!(Executable::read(b"MZ"), None);
    }
}
