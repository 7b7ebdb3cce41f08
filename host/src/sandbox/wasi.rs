//! WASI 0.2 for guests whose standard library imports it: no files, no environment, no network. Their output goes to
//! the log sink, never to the host's standard output.
//!
//! Clocks stand still and random numbers repeat, so that the same document gives the same bytes. Waiting is
//! refused: a guest that sleeps in a host call would not see its deadline. Functions that no guest without files can
//! use are refused when they are called.

use wasmtime::component::types::ComponentItem;
use wasmtime::component::{
    Component, ComponentType, Lift, Linker, LinkerInstance, Lower, Resource, ResourceType,
};
use wasmtime::{Engine, Result, StoreContextMut, bail};

/// Interfaces of WASI 0.2 that a filter may import. All of them are harmless as they are here; other interfaces
/// (sockets, HTTP) are refused at load.
const ALLOWED: [&str; 21] = [
    "wasi:cli/environment",
    "wasi:cli/exit",
    "wasi:cli/stderr",
    "wasi:cli/stdin",
    "wasi:cli/stdout",
    "wasi:cli/terminal-input",
    "wasi:cli/terminal-output",
    "wasi:cli/terminal-stderr",
    "wasi:cli/terminal-stdin",
    "wasi:cli/terminal-stdout",
    "wasi:clocks/monotonic-clock",
    "wasi:clocks/timezone",
    "wasi:clocks/wall-clock",
    "wasi:filesystem/preopens",
    "wasi:filesystem/types",
    "wasi:io/error",
    "wasi:io/poll",
    "wasi:io/streams",
    "wasi:random/insecure",
    "wasi:random/insecure-seed",
    "wasi:random/random",
];

/// The version that interfaces are linked as; wasmtime gives it to guests that import any 0.2.
const VERSION: &str = "0.2.12";

/// Most bytes that a guest may print at once.
const LARGEST_WRITE_BYTES: u64 = 64 * 1024;
/// Most random bytes that a guest gets at once. They use the host's memory until they are copied.
const LARGEST_RANDOM_BYTES: u64 = 64 * 1024;

/// What WASI needs of a store's state.
pub trait WasiView: 'static {
    /// Takes what the guest prints.
    fn print(&mut self, bytes: &[u8]);

    /// The guest's random bytes.
    fn random_bytes(&mut self) -> &mut RandomBytes;
}

/// Bytes that a guest takes for random: always the same ones.
#[derive(Default)]
pub struct RandomBytes(u8);

impl RandomBytes {
    fn next(&mut self) -> u8 {
        let byte = self.0;
        self.0 = byte.wrapping_add(1);
        byte
    }

    fn number(&mut self) -> u64 {
        u64::from_le_bytes(std::array::from_fn(|_| self.next()))
    }
}

// The resources. None of them has a state, so all handles of one kind are the same.
enum InputStream {}
enum OutputStream {}
enum IoError {}
enum Pollable {}
enum TerminalInput {}
enum TerminalOutput {}
/// Of a resource that no guest can get.
enum Unreachable {}

/// The number of every resource in the host.
const ONLY: u32 = 0;

/// `stream-error` of `wasi:io/streams`.
#[derive(ComponentType, Lift, Lower)]
#[component(variant)]
enum StreamError {
    #[component(name = "last-operation-failed")]
    /// No operation fails.
    Failed(Resource<IoError>),
    #[component(name = "closed")]
    Closed,
}

/// `datetime` of `wasi:clocks/wall-clock`.
#[derive(ComponentType, Lower)]
#[component(record)]
struct Datetime {
    seconds: u64,
    nanoseconds: u32,
}

/// Whether a filter may import an interface, with or without a version.
pub(super) fn allows(import: &str) -> bool {
    ALLOWED.contains(&interface(import))
}

/// The name of an import without its version.
fn interface(import: &str) -> &str {
    import.split_once('@').map_or(import, |(name, _)| name)
}

/// Links the interfaces of WASI that a component imports, and that are allowed.
///
/// # Errors
///
/// The linker has some of them already.
pub fn link<T: WasiView>(
    linker: &mut Linker<T>,
    engine: &Engine,
    component: &Component,
) -> Result<()> {
    for (name, item) in component.component_type().imports(engine) {
        let ComponentItem::ComponentInstance(instance) = item.ty else {
            continue;
        };
        if !allows(name) {
            continue;
        }
        let interface = interface(name);
        let mut linked = linker.instance(&format!("{interface}@{VERSION}"))?;
        let known = link_interface(interface, &mut linked)?;
        for (export, item) in instance.exports(engine) {
            if known.contains(&export) {
                continue;
            }
            match item.ty {
                ComponentItem::ComponentFunc(_) => {
                    let name = format!("`{export}` of `{interface}`");
                    linked.func_new(export, move |_, _, _, _| {
                        bail!("the filter calls {name}, which no filter may")
                    })?;
                }
                // An interface has the resources of others that it uses, too.
                ComponentItem::Resource(_) => {
                    linked.resource(export, resource_type(export), |_, _| Ok(()))?;
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Links what is implemented of an interface, and returns the names.
fn link_interface<T: WasiView>(
    interface: &str,
    linked: &mut LinkerInstance<'_, T>,
) -> Result<&'static [&'static str]> {
    type Context<'a, T> = StoreContextMut<'a, T>;
    Ok(match interface {
        "wasi:cli/environment" => {
            linked.func_wrap("get-environment", |_: Context<'_, T>, (): ()| {
                Ok((Vec::<(String, String)>::new(),))
            })?;
            linked.func_wrap("get-arguments", |_: Context<'_, T>, (): ()| {
                Ok((Vec::<String>::new(),))
            })?;
            linked.func_wrap("initial-cwd", |_: Context<'_, T>, (): ()| {
                Ok((None::<String>,))
            })?;
            &["get-environment", "get-arguments", "initial-cwd"]
        }
        "wasi:cli/exit" => {
            linked.func_wrap(
                "exit",
                |_: Context<'_, T>, (_,): (Result<(), ()>,)| -> Result<()> { refuse_to_exit() },
            )?;
            linked.func_wrap(
                "exit-with-code",
                |_: Context<'_, T>, (_,): (u8,)| -> Result<()> { refuse_to_exit() },
            )?;
            &["exit", "exit-with-code"]
        }
        "wasi:cli/stdin" => {
            get::<T, InputStream>(linked, "get-stdin")?;
            &["get-stdin"]
        }
        "wasi:cli/stdout" => {
            get::<T, OutputStream>(linked, "get-stdout")?;
            &["get-stdout"]
        }
        "wasi:cli/stderr" => {
            get::<T, OutputStream>(linked, "get-stderr")?;
            &["get-stderr"]
        }
        "wasi:cli/terminal-stdin" => {
            no_terminal::<T, TerminalInput>(linked, "get-terminal-stdin")?;
            &["get-terminal-stdin"]
        }
        "wasi:cli/terminal-stdout" => {
            no_terminal::<T, TerminalOutput>(linked, "get-terminal-stdout")?;
            &["get-terminal-stdout"]
        }
        "wasi:cli/terminal-stderr" => {
            no_terminal::<T, TerminalOutput>(linked, "get-terminal-stderr")?;
            &["get-terminal-stderr"]
        }
        "wasi:clocks/monotonic-clock" => {
            linked.func_wrap("now", |_: Context<'_, T>, (): ()| Ok((0_u64,)))?;
            linked.func_wrap("resolution", |_: Context<'_, T>, (): ()| Ok((1_u64,)))?;
            for name in ["subscribe-instant", "subscribe-duration"] {
                linked.func_wrap(name, |_: Context<'_, T>, (_,): (u64,)| {
                    Ok((Resource::<Pollable>::new_own(ONLY),))
                })?;
            }
            &[
                "now",
                "resolution",
                "subscribe-instant",
                "subscribe-duration",
            ]
        }
        "wasi:clocks/wall-clock" => {
            let time = |seconds| Datetime {
                seconds,
                nanoseconds: 0,
            };
            linked.func_wrap("now", move |_: Context<'_, T>, (): ()| Ok((time(0),)))?;
            linked.func_wrap("resolution", move |_: Context<'_, T>, (): ()| {
                Ok((time(1),))
            })?;
            &["now", "resolution"]
        }
        "wasi:filesystem/preopens" => {
            linked.func_wrap("get-directories", |_: Context<'_, T>, (): ()| {
                Ok((Vec::<(Resource<Unreachable>, String)>::new(),))
            })?;
            &["get-directories"]
        }
        "wasi:io/poll" => {
            linked.func_wrap(
                "[method]pollable.ready",
                |_: Context<'_, T>, (_,): (Resource<Pollable>,)| Ok((true,)),
            )?;
            linked.func_wrap(
                "[method]pollable.block",
                |_: Context<'_, T>, (_,): (Resource<Pollable>,)| -> Result<()> { refuse_to_wait() },
            )?;
            linked.func_wrap(
                "poll",
                |_: Context<'_, T>, (_,): (Vec<Resource<Pollable>>,)| -> Result<(Vec<u32>,)> {
                    refuse_to_wait()
                },
            )?;
            &["[method]pollable.ready", "[method]pollable.block", "poll"]
        }
        "wasi:io/streams" => link_streams(linked)?,
        "wasi:random/random" => {
            random::<T>(linked, "get-random-bytes", "get-random-u64")?;
            &["get-random-bytes", "get-random-u64"]
        }
        "wasi:random/insecure" => {
            random::<T>(
                linked,
                "get-insecure-random-bytes",
                "get-insecure-random-u64",
            )?;
            &["get-insecure-random-bytes", "get-insecure-random-u64"]
        }
        "wasi:random/insecure-seed" => {
            linked.func_wrap("insecure-seed", |_: Context<'_, T>, (): ()| {
                Ok(((0x5eed_u64, 0_u64),))
            })?;
            &["insecure-seed"]
        }
        _ => &[],
    })
}

/// Input has ended, and output goes to the log.
fn link_streams<T: WasiView>(
    linked: &mut LinkerInstance<'_, T>,
) -> Result<&'static [&'static str]> {
    type Context<'a, T> = StoreContextMut<'a, T>;
    type Input = Resource<InputStream>;
    type Output = Resource<OutputStream>;
    for name in [
        "[method]input-stream.read",
        "[method]input-stream.blocking-read",
    ] {
        linked.func_wrap(name, |_: Context<'_, T>, (_, _): (Input, u64)| {
            Ok((Err::<Vec<u8>, _>(StreamError::Closed),))
        })?;
    }
    for name in [
        "[method]input-stream.skip",
        "[method]input-stream.blocking-skip",
    ] {
        linked.func_wrap(name, |_: Context<'_, T>, (_, _): (Input, u64)| {
            Ok((Err::<u64, _>(StreamError::Closed),))
        })?;
    }
    linked.func_wrap(
        "[method]input-stream.subscribe",
        |_: Context<'_, T>, (_,): (Input,)| Ok((Resource::<Pollable>::new_own(ONLY),)),
    )?;
    linked.func_wrap(
        "[method]output-stream.check-write",
        |_: Context<'_, T>, (_,): (Output,)| Ok((Ok::<_, StreamError>(LARGEST_WRITE_BYTES),)),
    )?;
    for name in [
        "[method]output-stream.write",
        "[method]output-stream.blocking-write-and-flush",
    ] {
        linked.func_wrap(
            name,
            |mut store: Context<'_, T>, (_, bytes): (Output, Vec<u8>)| {
                store.data_mut().print(&bytes);
                Ok((Ok::<_, StreamError>(()),))
            },
        )?;
    }
    for name in [
        "[method]output-stream.flush",
        "[method]output-stream.blocking-flush",
    ] {
        linked.func_wrap(name, |_: Context<'_, T>, (_,): (Output,)| {
            Ok((Ok::<_, StreamError>(()),))
        })?;
    }
    linked.func_wrap(
        "[method]output-stream.subscribe",
        |_: Context<'_, T>, (_,): (Output,)| Ok((Resource::<Pollable>::new_own(ONLY),)),
    )?;
    Ok(&[
        "[method]input-stream.read",
        "[method]input-stream.blocking-read",
        "[method]input-stream.skip",
        "[method]input-stream.blocking-skip",
        "[method]input-stream.subscribe",
        "[method]output-stream.check-write",
        "[method]output-stream.write",
        "[method]output-stream.blocking-write-and-flush",
        "[method]output-stream.flush",
        "[method]output-stream.blocking-flush",
        "[method]output-stream.subscribe",
    ])
}

fn resource_type(name: &str) -> ResourceType {
    match name {
        "error" => ResourceType::host::<IoError>(),
        "input-stream" => ResourceType::host::<InputStream>(),
        "output-stream" => ResourceType::host::<OutputStream>(),
        "pollable" => ResourceType::host::<Pollable>(),
        "terminal-input" => ResourceType::host::<TerminalInput>(),
        "terminal-output" => ResourceType::host::<TerminalOutput>(),
        _ => ResourceType::host::<Unreachable>(),
    }
}

/// Links a function that returns a stream.
fn get<T: 'static, R: 'static>(linked: &mut LinkerInstance<'_, T>, name: &str) -> Result<()> {
    linked.func_wrap(name, |_: StoreContextMut<'_, T>, (): ()| {
        Ok((Resource::<R>::new_own(ONLY),))
    })
}

fn no_terminal<T: 'static, R: 'static>(
    linked: &mut LinkerInstance<'_, T>,
    name: &str,
) -> Result<()> {
    linked.func_wrap(name, |_: StoreContextMut<'_, T>, (): ()| {
        Ok((None::<Resource<R>>,))
    })
}

fn random<T: WasiView>(
    linked: &mut LinkerInstance<'_, T>,
    bytes: &str,
    number: &str,
) -> Result<()> {
    linked.func_wrap(
        bytes,
        |mut store: StoreContextMut<'_, T>, (count,): (u64,)| {
            if count > LARGEST_RANDOM_BYTES {
                bail!(
                    "it asked for {count} random bytes at once; {LARGEST_RANDOM_BYTES} are allowed"
                );
            }
            let random = store.data_mut().random_bytes();
            Ok(((0..count).map(|_| random.next()).collect::<Vec<u8>>(),))
        },
    )?;
    linked.func_wrap(number, |mut store: StoreContextMut<'_, T>, (): ()| {
        Ok((store.data_mut().random_bytes().number(),))
    })
}

fn refuse_to_wait<R>() -> Result<R> {
    bail!("the filter waits for something (a sleep, a timer, input), which no filter may do")
}

fn refuse_to_exit<R>() -> Result<R> {
    bail!("the filter ends its program, as `exit` does")
}
