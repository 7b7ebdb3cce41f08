//! The files of machine code that wasmtime writes: ELF, 64 bits, little-endian. The format is in `man 5 elf`.

use anyhow::{Context as _, Result, ensure};

/// Places in the header of a file, and in the header of a section.
const SECTIONS: usize = 0x28;
const SECTIONS_COUNT: usize = 0x3c;
const NAMES_INDEX: usize = 0x3e;
const TYPE: usize = 0x04;
const OFFSET: usize = 0x18;
const SIZE: usize = 0x20;
const LINK: usize = 0x28;

/// The bytes of the header of a section.
const HEADER: usize = 64;
const SYMBOLS: u32 = 2;

/// The same machine code without the names of its functions for a linker or debugger: a tenth of the file. wasmtime
/// writes them last, and reads none: it has sections of its own for names.
pub fn without_symbols(code: &[u8]) -> Result<Vec<u8>> {
    ensure!(
        code.starts_with(b"\x7fELF\x02\x01"),
        "it is no ELF file of 64 bits"
    );
    let sections = usize::try_from(number::<8>(code, SECTIONS)?)?;
    let count = usize::try_from(number::<2>(code, SECTIONS_COUNT)?)?;
    let names = usize::try_from(number::<2>(code, NAMES_INDEX)?)?;
    let mut headers = Vec::new();
    for index in 0..count {
        let begin = sections + index * HEADER;
        headers.push(
            code.get(begin..begin + HEADER)
                .context("a section has no header")?
                .to_vec(),
        );
    }
    let Some(symbols) = headers
        .iter()
        .position(|it| number::<4>(it, TYPE).ok() == Some(SYMBOLS.into()))
    else {
        return Ok(code.to_vec());
    };
    let their_names = usize::try_from(number::<4>(&headers[symbols], LINK)?)?;
    ensure!(
        [symbols, their_names, names] == [count - 3, count - 2, count - 1],
        "symbols are not the last sections"
    );

    let end = usize::try_from(number::<8>(&headers[symbols], OFFSET)?)?;
    let mut kept = code
        .get(..end)
        .context("the symbols are outside of the file")?
        .to_vec();
    let from = usize::try_from(number::<8>(&headers[names], OFFSET)?)?;
    let size = usize::try_from(number::<8>(&headers[names], SIZE)?)?;
    set(
        &mut headers[names],
        OFFSET,
        &u64::try_from(kept.len())?.to_le_bytes(),
    );
    kept.extend(
        code.get(from..from + size)
            .context("the names are outside of the file")?,
    );
    headers.drain(symbols..=their_names);
    kept.resize(kept.len().next_multiple_of(8), 0);
    let sections = u64::try_from(kept.len())?;
    kept.extend(headers.concat());
    let count = u16::try_from(headers.len())?;
    set(&mut kept, SECTIONS, &sections.to_le_bytes());
    set(&mut kept, SECTIONS_COUNT, &count.to_le_bytes());
    set(&mut kept, NAMES_INDEX, &(count - 1).to_le_bytes());
    Ok(kept)
}

fn number<const BYTES: usize>(bytes: &[u8], at: usize) -> Result<u64> {
    let mut number = [0; 8];
    number[..BYTES].copy_from_slice(
        bytes
            .get(at..at + BYTES)
            .context("the file ends too early")?,
    );
    Ok(u64::from_le_bytes(number))
}

fn set(bytes: &mut [u8], at: usize, value: &[u8]) {
    bytes[at..at + value.len()].copy_from_slice(value);
}
