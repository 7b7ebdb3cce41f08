//! Calls of the system that need `unsafe`: each is wrapped in a function that is safe to call.
//!
//! The proofs have one form. Handles come from owners that live as long as the call. Structures that the system fills
//! are on this stack, with their own sizes. Memory that the system allocates is freed by the wrapper that asked for it.

#![expect(unsafe_code, reason = "the system's interface is one of pointers")]

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::io::{AsHandle, AsRawHandle, BorrowedHandle, FromRawHandle, OwnedHandle};
use std::path::Path;
use std::ptr::{null, null_mut};
use windows_sys::Wdk::Storage::FileSystem::{
    FILE_PIPE_CLOSING_STATE, FILE_PIPE_LOCAL_INFORMATION, FilePipeLocalInformation,
    NtQueryInformationFile,
};
use windows_sys::Win32::Foundation::{
    ERROR_BROKEN_PIPE, ERROR_IO_PENDING, ERROR_LOCK_VIOLATION, FILETIME, HANDLE,
    INVALID_HANDLE_VALUE, LocalFree, WAIT_OBJECT_0,
};
use windows_sys::Win32::Security::Authorization::{
    ConvertSidToStringSidW, ConvertStringSecurityDescriptorToSecurityDescriptorW,
    GetNamedSecurityInfoW, GetSecurityInfo, SDDL_REVISION_1, SE_FILE_OBJECT,
};
use windows_sys::Win32::Security::{
    ACCESS_ALLOWED_ACE, ACE_HEADER, ACL, DACL_SECURITY_INFORMATION, GetAce, GetTokenInformation,
    OWNER_SECURITY_INFORMATION, PSECURITY_DESCRIPTOR, PSID, SECURITY_ATTRIBUTES, TOKEN_QUERY,
    TOKEN_USER, TokenUser,
};
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, CreateDirectoryW, FILE_BASIC_INFO, FILE_TYPE_DISK, FileBasicInfo,
    GetFileInformationByHandle, GetFileInformationByHandleEx, GetFileType, LOCKFILE_EXCLUSIVE_LOCK,
    LOCKFILE_FAIL_IMMEDIATELY, LockFileEx,
};
use windows_sys::Win32::System::Console::{
    CTRL_BREAK_EVENT, GenerateConsoleCtrlEvent, SetConsoleCtrlHandler,
};
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, PROCESSENTRY32W, Process32FirstW, Process32NextW, TH32CS_SNAPPROCESS,
    TH32CS_SNAPTHREAD, THREADENTRY32, Thread32First, Thread32Next,
};
use windows_sys::Win32::System::IO::{IO_STATUS_BLOCK, OVERLAPPED};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_ACTIVE_PROCESS,
    JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOB_OBJECT_LIMIT_PROCESS_MEMORY, JOB_OBJECT_LIMIT_PROCESS_TIME,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation,
    SetInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::Memory::{PAGE_EXECUTE_READ, VirtualProtect};
use windows_sys::Win32::System::Pipes::PeekNamedPipe;
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetExitCodeProcess, GetProcessTimes, INFINITE, OpenProcess,
    OpenProcessToken, OpenThread, PROCESS_QUERY_LIMITED_INFORMATION, ResumeThread,
    THREAD_SUSPEND_RESUME, WaitForSingleObject,
};

/// Whether code can run where this program's file is mapped: wasmtime registers code there in its own way.
pub(crate) const RUNS_IN_PLACE: bool = false;

/// Lets the processor run code in memory that nobody writes to any more.
///
/// # Safety
///
/// The memory is whole pages that hold code alone, and nobody writes to them from now on.
pub(crate) unsafe fn make_executable(start: *const u8, bytes: usize) -> io::Result<()> {
    let mut before = 0;
    // SAFETY: as the caller promises. The pages stay readable.
    done(unsafe { VirtualProtect(start.cast(), bytes, PAGE_EXECUTE_READ, &mut before) })
}

/// The system's word for success, or its error.
fn done(result: windows_sys::core::BOOL) -> io::Result<()> {
    match result {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// A handle that the system has just given to this process.
fn owned(handle: HANDLE) -> io::Result<OwnedHandle> {
    if handle.is_null() || handle == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is valid, and nobody else owns it.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle.cast()) })
}

fn raw(handle: BorrowedHandle<'_>) -> HANDLE {
    handle.as_raw_handle().cast()
}

/// A text as the system wants it, with a zero at its end.
fn wide(text: &OsStr) -> Vec<u16> {
    text.encode_wide().chain([0]).collect()
}

/// A text of the system, which ends at a zero.
///
/// # Safety
///
/// The text ends at a zero.
unsafe fn text_at(start: *const u16) -> String {
    let mut units = Vec::new();
    let mut at = start;
    // SAFETY: no unit after the zero is read.
    while unsafe { *at } != 0 {
        // SAFETY: as above.
        units.push(unsafe { *at });
        // SAFETY: the zero is further on.
        at = unsafe { at.add(1) };
    }
    String::from_utf16_lossy(&units)
}

// --- files

/// What identifies a file, and when it was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Facts {
    pub(super) volume: u32,
    pub(super) index: u64,
    pub(super) size: u64,
    /// In the system's units since 1601.
    pub(super) written: u64,
    /// The same time, which no program can set; zero where the file system has none.
    pub(super) changed: i64,
}

/// The facts of an open file or folder.
pub(super) fn facts(file: &File) -> io::Result<Facts> {
    let handle = raw(file.as_handle());
    let mut found = BY_HANDLE_FILE_INFORMATION::default();
    // SAFETY: see the module.
    done(unsafe { GetFileInformationByHandle(handle, &mut found) })?;
    let mut basic = FILE_BASIC_INFO::default();
    let size = size_of::<FILE_BASIC_INFO>() as u32;
    let to = (&raw mut basic).cast();
    // SAFETY: see the module.
    let has_basic = done(unsafe { GetFileInformationByHandleEx(handle, FileBasicInfo, to, size) });
    let both = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
    Ok(Facts {
        volume: found.dwVolumeSerialNumber,
        index: both(found.nFileIndexHigh, found.nFileIndexLow),
        size: both(found.nFileSizeHigh, found.nFileSizeLow),
        written: of_time(found.ftLastWriteTime),
        changed: has_basic.map_or(0, |()| basic.ChangeTime),
    })
}

fn of_time(time: FILETIME) -> u64 {
    u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime)
}

/// Whether an open file is on a disk: no pipe, no console, no device.
pub(super) fn is_on_disk(file: &File) -> bool {
    // SAFETY: see the module.
    unsafe { GetFileType(raw(file.as_handle())) == FILE_TYPE_DISK }
}

/// The byte whose lock stands for the whole file. It lies behind all content, since others cannot read locked bytes.
const LOCKED_BYTE_HIGH: u32 = 0x4000_0000;

/// Takes the lock of a file.
pub(super) fn lock(file: &File, is_exclusive: bool, waits: bool) -> Result<(), TryLockError> {
    let mut flags = 0;
    if is_exclusive {
        flags |= LOCKFILE_EXCLUSIVE_LOCK;
    }
    if !waits {
        flags |= LOCKFILE_FAIL_IMMEDIATELY;
    }
    let mut place = OVERLAPPED::default();
    place.Anonymous.Anonymous.OffsetHigh = LOCKED_BYTE_HIGH;
    // SAFETY: see the module. The file was opened for synchronous use, so the call is over when it returns.
    let locked = done(unsafe { LockFileEx(raw(file.as_handle()), flags, 0, 1, 0, &mut place) });
    locked.map_err(|error| {
        let code = error.raw_os_error().map(i32::cast_unsigned);
        match code {
            Some(ERROR_LOCK_VIOLATION | ERROR_IO_PENDING) => TryLockError::WouldBlock,
            _ => TryLockError::Error(error),
        }
    })
}

// --- owners

/// Who owns a file, and who may do what with it. Users are named by their security identifiers (`S-1-5-18`).
#[derive(Debug)]
pub(super) struct Security {
    pub(super) owner: String,
    /// None: everybody may do everything.
    pub(super) entries: Option<Vec<Entry>>,
}

/// A line of a list of rights.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) kind: u8,
    pub(super) flags: u8,
    pub(super) rights: u32,
    pub(super) user: String,
}

/// The security of the file or folder at a path. Links are followed.
pub(super) fn security_at(path: &Path) -> io::Result<Security> {
    let name = wide(path.as_os_str());
    security(|owner, list, descriptor| {
        let wanted = OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION;
        let nothing = null_mut();
        // SAFETY: see the module.
        unsafe {
            GetNamedSecurityInfoW(
                name.as_ptr(),
                SE_FILE_OBJECT,
                wanted,
                owner,
                nothing,
                list,
                null_mut(),
                descriptor,
            )
        }
    })
}

/// The security of an open file.
pub(super) fn security_of(file: &File) -> io::Result<Security> {
    security(|owner, list, descriptor| {
        let wanted = OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION;
        let (handle, nothing) = (raw(file.as_handle()), null_mut());
        // SAFETY: see the module.
        unsafe {
            GetSecurityInfo(
                handle,
                SE_FILE_OBJECT,
                wanted,
                owner,
                nothing,
                list,
                null_mut(),
                descriptor,
            )
        }
    })
}

fn security(
    ask: impl FnOnce(*mut PSID, *mut *mut ACL, *mut PSECURITY_DESCRIPTOR) -> u32,
) -> io::Result<Security> {
    let (mut owner, mut list, mut descriptor) = (null_mut(), null_mut(), null_mut());
    match ask(&mut owner, &mut list, &mut descriptor) {
        0 => {}
        code => return Err(io::Error::from_raw_os_error(code.cast_signed())),
    }
    // Owner and list lie in the descriptor.
    let found = read_security(owner, list);
    // SAFETY: the system allocated it so, and nothing of it is used after this.
    unsafe { LocalFree(descriptor) };
    found
}

fn read_security(owner: PSID, list: *const ACL) -> io::Result<Security> {
    let owner = sid_text(owner)?;
    if list.is_null() {
        return Ok(Security {
            owner,
            entries: None,
        });
    }
    // SAFETY: the list is valid while its descriptor is.
    let count = unsafe { (*list).AceCount };
    let mut entries = Vec::new();
    for index in 0..u32::from(count) {
        let mut at = null_mut();
        // SAFETY: as above.
        done(unsafe { GetAce(list, index, &mut at) })?;
        // SAFETY: every entry begins with this header.
        let header = unsafe { *at.cast::<ACE_HEADER>() };
        let entry: *const ACCESS_ALLOWED_ACE = at.cast();
        if usize::from(header.AceSize) < size_of::<ACCESS_ALLOWED_ACE>() {
            continue;
        }
        // SAFETY: the entry has the size of one with rights and a user, whose identifier begins at `SidStart`.
        let (rights, user) = unsafe { ((*entry).Mask, (&raw const (*entry).SidStart)) };
        entries.push(Entry {
            kind: header.AceType,
            flags: header.AceFlags,
            rights,
            user: sid_text(user.cast_mut().cast())?,
        });
    }
    Ok(Security {
        owner,
        entries: Some(entries),
    })
}

fn sid_text(sid: PSID) -> io::Result<String> {
    let mut text = null_mut();
    // SAFETY: see the module.
    done(unsafe { ConvertSidToStringSidW(sid, &mut text) })?;
    // SAFETY: the text ends at a zero.
    let read = unsafe { text_at(text) };
    // SAFETY: the system allocated it so.
    unsafe { LocalFree(text.cast()) };
    Ok(read)
}

/// The user that this process runs as.
pub(super) fn user() -> io::Result<String> {
    let mut token = null_mut();
    // SAFETY: see the module.
    done(unsafe { OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &mut token) })?;
    let token = owned(token)?;
    // An identifier has 68 bytes at most.
    let mut buffer = [0_u64; 32];
    let (size, mut used) = (size_of_val(&buffer) as u32, 0);
    let to = buffer.as_mut_ptr().cast();
    let handle = raw(token.as_handle());
    // SAFETY: see the module. The buffer is aligned for the structure.
    done(unsafe { GetTokenInformation(handle, TokenUser, to, size, &mut used) })?;
    // SAFETY: the system has written this structure there.
    let found = unsafe { &*buffer.as_ptr().cast::<TOKEN_USER>() };
    sid_text(found.User.Sid)
}

/// Makes a folder with this security, in the system's notation for it (SDDL).
pub(super) fn make_folder(path: &Path, security: &str) -> io::Result<()> {
    let (path, security) = (wide(path.as_os_str()), wide(OsStr::new(security)));
    let mut descriptor = null_mut();
    // SAFETY: see the module.
    done(unsafe {
        ConvertStringSecurityDescriptorToSecurityDescriptorW(
            security.as_ptr(),
            SDDL_REVISION_1,
            &mut descriptor,
            null_mut(),
        )
    })?;
    let attributes = SECURITY_ATTRIBUTES {
        nLength: size_of::<SECURITY_ATTRIBUTES>() as u32,
        lpSecurityDescriptor: descriptor,
        bInheritHandle: 0,
    };
    // SAFETY: see the module.
    let made = done(unsafe { CreateDirectoryW(path.as_ptr(), &attributes) });
    // SAFETY: the system allocated it so.
    unsafe { LocalFree(descriptor) };
    made
}

// --- processes

/// A group of processes that the system ends together.
#[derive(Debug)]
pub(super) struct Job(OwnedHandle);

/// Limits of a process.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) memory_bytes: u64,
    pub(super) processor_seconds: u64,
}

impl Job {
    /// A group whose processes end when this value is dropped, or this process ends.
    pub(super) fn ending_with_this() -> io::Result<Job> {
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        Job::with(&limits)
    }

    /// A group of a single process with limits.
    pub(super) fn bounded(bounds: Bounds) -> io::Result<Job> {
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_ACTIVE_PROCESS
            | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION
            | JOB_OBJECT_LIMIT_PROCESS_MEMORY
            | JOB_OBJECT_LIMIT_PROCESS_TIME;
        limits.BasicLimitInformation.ActiveProcessLimit = 1;
        // In units of 100 ns.
        let time = bounds.processor_seconds.saturating_mul(10_000_000);
        limits.BasicLimitInformation.PerProcessUserTimeLimit =
            i64::try_from(time).unwrap_or(i64::MAX);
        limits.ProcessMemoryLimit = usize::try_from(bounds.memory_bytes).unwrap_or(usize::MAX);
        Job::with(&limits)
    }

    fn with(limits: &JOBOBJECT_EXTENDED_LIMIT_INFORMATION) -> io::Result<Job> {
        // SAFETY: see the module.
        let job = owned(unsafe { CreateJobObjectW(null(), null()) })?;
        let size = size_of::<JOBOBJECT_EXTENDED_LIMIT_INFORMATION>() as u32;
        let limits = (&raw const *limits).cast();
        let kind = JobObjectExtendedLimitInformation;
        // SAFETY: see the module.
        done(unsafe { SetInformationJobObject(raw(job.as_handle()), kind, limits, size) })?;
        Ok(Job(job))
    }

    /// Adds a process.
    pub(super) fn add(&self, process: BorrowedHandle<'_>) -> io::Result<()> {
        // SAFETY: see the module.
        done(unsafe { AssignProcessToJobObject(raw(self.0.as_handle()), raw(process)) })
    }

    /// Adds this process.
    pub(super) fn add_this(&self) -> io::Result<()> {
        // SAFETY: see the module.
        done(unsafe { AssignProcessToJobObject(raw(self.0.as_handle()), GetCurrentProcess()) })
    }

    /// Ends all processes of the group with this status.
    pub(super) fn kill(&self, status: u32) -> io::Result<()> {
        // SAFETY: see the module.
        done(unsafe { TerminateJobObject(raw(self.0.as_handle()), status) })
    }
}

/// Waits until a process ends, and returns its status.
pub(super) fn wait_for(process: BorrowedHandle<'_>) -> io::Result<u32> {
    // SAFETY: see the module.
    if unsafe { WaitForSingleObject(raw(process), INFINITE) } != WAIT_OBJECT_0 {
        return Err(io::Error::last_os_error());
    }
    let mut status = 0;
    // SAFETY: see the module.
    done(unsafe { GetExitCodeProcess(raw(process), &mut status) })?;
    Ok(status)
}

/// Whether a process has ended.
#[cfg(feature = "http")]
pub(super) fn has_ended(process: BorrowedHandle<'_>) -> bool {
    // SAFETY: see the module.
    unsafe { WaitForSingleObject(raw(process), 0) == WAIT_OBJECT_0 }
}

/// Lets the threads of a process run that was started without running.
pub(super) fn resume(process: u32) -> io::Result<()> {
    // SAFETY: see the module.
    let all = owned(unsafe { CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0) })?;
    let mut entry = THREADENTRY32 {
        dwSize: size_of::<THREADENTRY32>() as u32,
        ..THREADENTRY32::default()
    };
    let all = raw(all.as_handle());
    let mut resumed = 0;
    // SAFETY: see the module.
    let mut has_entry = unsafe { Thread32First(all, &mut entry) } != 0;
    while has_entry {
        if entry.th32OwnerProcessID == process {
            // SAFETY: see the module.
            let thread = unsafe { OpenThread(THREAD_SUSPEND_RESUME, 0, entry.th32ThreadID) };
            let thread = owned(thread)?;
            // SAFETY: see the module.
            if unsafe { ResumeThread(raw(thread.as_handle())) } == u32::MAX {
                return Err(io::Error::last_os_error());
            }
            resumed += 1;
        }
        // SAFETY: see the module.
        has_entry = unsafe { Thread32Next(all, &mut entry) } != 0;
    }
    match resumed {
        0 => Err(io::ErrorKind::NotFound.into()),
        _ => Ok(()),
    }
}

/// The number of the process that started this one, and when it began, in the system's units; none if that has ended.
pub(super) fn parent() -> io::Result<(u32, Option<u64>)> {
    // SAFETY: see the module.
    let all = owned(unsafe { CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0) })?;
    let mut entry = PROCESSENTRY32W {
        dwSize: size_of::<PROCESSENTRY32W>() as u32,
        ..PROCESSENTRY32W::default()
    };
    let all = raw(all.as_handle());
    // SAFETY: see the module.
    let mut has_entry = unsafe { Process32FirstW(all, &mut entry) } != 0;
    while has_entry {
        if entry.th32ProcessID == std::process::id() {
            let parent = entry.th32ParentProcessID;
            return Ok((parent, begin_of(parent).ok()));
        }
        // SAFETY: see the module.
        has_entry = unsafe { Process32NextW(all, &mut entry) } != 0;
    }
    Err(io::ErrorKind::NotFound.into())
}

fn begin_of(process: u32) -> io::Result<u64> {
    // SAFETY: see the module.
    let process = owned(unsafe { OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, process) })?;
    let handle = raw(process.as_handle());
    let [mut begin, mut end, mut kernel, mut user] = [FILETIME::default(); 4];
    // SAFETY: see the module.
    done(unsafe { GetProcessTimes(handle, &mut begin, &mut end, &mut kernel, &mut user) })?;
    Ok(of_time(begin))
}

// --- consoles

/// Sends Ctrl-Break to a group of processes that shares this process's console.
pub(super) fn send_break(group: u32) -> io::Result<()> {
    // SAFETY: the call takes numbers alone.
    done(unsafe { GenerateConsoleCtrlEvent(CTRL_BREAK_EVENT, group) })
}

/// What a console's event is given to: its number; returns whether the event is handled.
pub(super) type Handler = unsafe extern "system" fn(u32) -> windows_sys::core::BOOL;

/// Gives the console's events to a function, on threads that the system starts.
pub(super) fn handle_console_events(handler: Handler) -> io::Result<()> {
    // SAFETY: the function lives as long as the program.
    done(unsafe { SetConsoleCtrlHandler(Some(handler), 1) })
}

// --- pipes

/// Whether the other end of a pipe that is written to is closed. False for files, and for what cannot be asked.
pub(super) fn is_closing(pipe: BorrowedHandle<'_>) -> bool {
    let mut status = IO_STATUS_BLOCK::default();
    let mut found = FILE_PIPE_LOCAL_INFORMATION::default();
    let size = size_of::<FILE_PIPE_LOCAL_INFORMATION>() as u32;
    let to = (&raw mut found).cast();
    let kind = FilePipeLocalInformation;
    // SAFETY: see the module.
    let result = unsafe { NtQueryInformationFile(raw(pipe), &mut status, to, size, kind) };
    result >= 0 && found.NamedPipeState == FILE_PIPE_CLOSING_STATE
}

/// Whether the other end of a pipe that is read is closed, and nothing is left in it. No other thread reads it now.
pub(super) fn is_at_end(pipe: BorrowedHandle<'_>) -> bool {
    let nothing = null_mut();
    // SAFETY: see the module. Nothing is to be written anywhere.
    let peeked =
        done(unsafe { PeekNamedPipe(raw(pipe), nothing, 0, null_mut(), null_mut(), null_mut()) });
    let code = peeked.err().and_then(|error| error.raw_os_error());
    code.map(i32::cast_unsigned) == Some(ERROR_BROKEN_PIPE)
}
