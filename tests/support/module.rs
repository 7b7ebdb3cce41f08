//! Core modules and components written byte by byte, of any size.

/// The first eight bytes of a core module and of a component.
pub const CORE_MODULE: &[u8] = b"\0asm\x01\0\0\0";
pub const COMPONENT: &[u8] = b"\0asm\x0d\0\x01\0";

const NOP: u8 = 0x01;
const END: u8 = 0x0b;
const I32: u8 = 0x7f;

/// A number in WebAssembly's encoding (LEB128).
pub fn number(mut value: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

pub fn section(id: u8, content: &[u8]) -> Vec<u8> {
    [&[id][..], &number(content.len()), content].concat()
}

/// A section with a list of `count` equal items.
pub fn list(id: u8, count: usize, item: &[u8]) -> Vec<u8> {
    section(id, &[number(count), item.repeat(count)].concat())
}

pub fn module(sections: &[Vec<u8>]) -> Vec<u8> {
    [CORE_MODULE, &sections.concat()].concat()
}

/// A component with `count` copies of one core module.
pub fn component_of(count: usize, module: &[u8]) -> Vec<u8> {
    let one = section(1, module);
    [COMPONENT, &one.repeat(count)].concat()
}

/// A component with another inside, of which it makes two instances, and so on for this many levels.
pub fn doubling(levels: usize) -> Vec<u8> {
    let mut component = [COMPONENT, &section(1, CORE_MODULE), &list(2, 1, &[0, 0, 0])].concat();
    for _ in 0..levels {
        let instances = list(5, 2, &[0, 0, 0]);
        component = [COMPONENT, &section(4, &component), &instances].concat();
    }
    component
}

/// A module with functions of these bodies, locals included, each with this many numeric parameters.
pub fn functions(bodies: &[Vec<u8>], parameters: usize) -> Vec<u8> {
    let kind = [
        &[1, 0x60][..],
        &number(parameters),
        &vec![I32; parameters],
        &[0],
    ]
    .concat();
    let mut code = number(bodies.len());
    for body in bodies {
        code.extend(number(body.len()));
        code.extend(body);
    }
    module(&[
        section(1, &kind),
        list(3, bodies.len(), &[0]),
        section(10, &code),
    ])
}

/// A body of exactly this many bytes and locals that does nothing.
pub fn idle(bytes: usize, locals: usize) -> Vec<u8> {
    let mut body = declared(locals);
    body.resize(bytes - 1, NOP);
    body.push(END);
    body
}

/// A body of about this many bytes that takes long to compile: each local is set in many places, any of which may
/// matter.
pub fn tangled(bytes: usize, locals: usize) -> Vec<u8> {
    let mut body = declared(locals);
    let local = |index: usize| number(index % locals);
    for round in 0.. {
        if body.len() + 20 > bytes {
            break;
        }
        // if (a) { c = b }
        body.push(0x20);
        body.extend(local(round * 7));
        body.extend([0x04, 0x40, 0x20]);
        body.extend(local(round * 13 + 1));
        body.push(0x21);
        body.extend(local(round));
        body.push(END);
    }
    body.push(END);
    body
}

fn declared(locals: usize) -> Vec<u8> {
    match locals {
        0 => vec![0],
        _ => [&[1][..], &number(locals), &[I32]].concat(),
    }
}
