//! A VFS between SQLite and the system's own, which asks the script of the thread before each operation.
#![expect(
    unsafe_code,
    reason = "a VFS is a table of C functions; SQLite has no other way to be given one"
)]

use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::ptr;
use std::sync::OnceLock;

use rusqlite::ffi::{self, sqlite3_file, sqlite3_filename, sqlite3_int64, sqlite3_io_methods, sqlite3_vfs};

use super::{Operation, Verdict, die_if_killed, done, is_ruled, step};

/// Registers the VFS `fault` and makes it the default of this process. Threads without a script notice nothing.
///
/// # Panics
/// When SQLite refuses to register it.
pub fn install() {
    static INSTALLED: OnceLock<()> = OnceLock::new();
    INSTALLED.get_or_init(|| {
        // SAFETY: SQLite's own default VFS lives as long as the process, and so does the leaked one.
        let code = unsafe {
            ffi::sqlite3_initialize();
            let real = ffi::sqlite3_vfs_find(ptr::null());
            let vfs = Box::leak(Box::new(*real));
            vfs.szOsFile = HEAD_BYTES + (*real).szOsFile;
            vfs.pNext = ptr::null_mut();
            vfs.zName = c"fault".as_ptr();
            vfs.pAppData = real.cast();
            vfs.xOpen = Some(open);
            vfs.xDelete = Some(delete);
            ffi::sqlite3_vfs_register(vfs, 1)
        };
        assert_eq!(code, ffi::SQLITE_OK, "SQLite takes the VFS");
    });
}

/// A file of ours; SQLite allocates it, and the real one right behind it.
#[repr(C)]
struct FaultFile {
    base: sqlite3_file,
    /// Leaked while the file is open; null for a temporary file, which has no name.
    path: *mut PathBuf,
    /// Whether its first sync also syncs its folder, as the system's VFS does for a new journal.
    is_new_journal: bool,
}

const HEAD_BYTES: c_int = size_of::<FaultFile>().next_multiple_of(16) as c_int;

/// The real file behind ours.
fn real(file: *mut sqlite3_file) -> *mut sqlite3_file {
    file.cast::<u8>().wrapping_add(HEAD_BYTES as usize).cast()
}

/// The real file's methods.
fn methods(file: *mut sqlite3_file) -> &'static sqlite3_io_methods {
    // SAFETY: SQLite calls a method only between a successful xOpen and xClose, and the tables are static.
    unsafe { &*(*real(file)).pMethods }
}

fn path(file: *mut sqlite3_file) -> Option<&'static Path> {
    // SAFETY: as above; the path is freed by xClose only.
    unsafe { (*file.cast::<FaultFile>()).path.as_ref().map(PathBuf::as_path) }
}

fn code(verdict: Verdict, failure: c_int) -> Option<c_int> {
    match verdict {
        Verdict::Pass => None,
        Verdict::Fail => {
            die_if_killed();
            Some(failure)
        }
        Verdict::Full => Some(ffi::SQLITE_FULL),
    }
}

fn told(operation: Operation, file: *mut sqlite3_file) {
    if let Some(path) = path(file) {
        done(operation, path);
    }
}

/// Calls one of the real file's methods, which the system's VFS always has.
macro_rules! pass {
    ($file:expr, $method:ident $(, $argument:expr)*) => {{
        let method = methods($file).$method.expect("the system's VFS has every method");
        // SAFETY: SQLite's arguments, handed on to the file that they are meant for.
        unsafe { method(real($file) $(, $argument)*) }
    }};
}

unsafe extern "C" fn open(
    vfs: *mut sqlite3_vfs,
    name: sqlite3_filename,
    file: *mut sqlite3_file,
    flags: c_int,
    out_flags: *mut c_int,
) -> c_int {
    // SAFETY: SQLite hands over a buffer of szOsFile bytes, and our pAppData is the real VFS.
    unsafe {
        (*file).pMethods = ptr::null();
        if let Some(code) = code(step(Operation::Open), ffi::SQLITE_CANTOPEN) {
            return code;
        }
        let vfs: *mut sqlite3_vfs = (*vfs).pAppData.cast();
        let path =
            (!name.is_null()).then(|| PathBuf::from(OsStr::from_bytes(CStr::from_ptr(name).to_bytes())));
        let is_new = path.as_deref().is_some_and(|path| !path.exists());
        let open = (*vfs).xOpen.expect("the system's VFS has every method");
        let code = open(vfs, name, real(file), flags, out_flags);
        if !(*real(file)).pMethods.is_null() {
            let journal =
                ffi::SQLITE_OPEN_MAIN_JOURNAL | ffi::SQLITE_OPEN_SUPER_JOURNAL | ffi::SQLITE_OPEN_WAL;
            let head = file.cast::<FaultFile>();
            (*head).is_new_journal = flags & ffi::SQLITE_OPEN_CREATE != 0 && flags & journal != 0;
            (*head).path = path.map_or(ptr::null_mut(), |path| Box::into_raw(Box::new(path)));
            (*file).pMethods = &raw const METHODS;
            if is_new {
                told(Operation::Open, file);
            }
        }
        code
    }
}

unsafe extern "C" fn delete(vfs: *mut sqlite3_vfs, name: *const c_char, sync_folder: c_int) -> c_int {
    if let Some(code) = code(step(Operation::Delete), ffi::SQLITE_IOERR_DELETE) {
        return code;
    }
    // SAFETY: our pAppData is the real VFS, and SQLite hands over a name.
    unsafe {
        let vfs: *mut sqlite3_vfs = (*vfs).pAppData.cast();
        let delete = (*vfs).xDelete.expect("the system's VFS has every method");
        let code = delete(vfs, name, c_int::from(sync_folder != 0 && !is_ruled()));
        if code != ffi::SQLITE_OK || sync_folder == 0 {
            return code;
        }
        let path = Path::new(OsStr::from_bytes(CStr::from_ptr(name).to_bytes()));
        // Two operations of the disk: the name may be gone and the folder not yet synced.
        if let Some(failed) = self::code(step(Operation::SyncFolder), ffi::SQLITE_IOERR_DIR_FSYNC) {
            return failed;
        }
        done(Operation::SyncFolder, path.parent().unwrap_or(path));
        code
    }
}

unsafe extern "C" fn close(file: *mut sqlite3_file) -> c_int {
    let code = pass!(file, xClose);
    // SAFETY: the last call for this file; the path was leaked by xOpen.
    unsafe {
        let head = file.cast::<FaultFile>();
        if !(*head).path.is_null() {
            drop(Box::from_raw((*head).path));
            (*head).path = ptr::null_mut();
        }
    }
    code
}

unsafe extern "C" fn read(
    file: *mut sqlite3_file,
    to: *mut c_void,
    bytes: c_int,
    at: sqlite3_int64,
) -> c_int {
    pass!(file, xRead, to, bytes, at)
}

unsafe extern "C" fn write(
    file: *mut sqlite3_file,
    from: *const c_void,
    bytes: c_int,
    at: sqlite3_int64,
) -> c_int {
    let mut size = 0;
    pass!(file, xFileSize, &raw mut size);
    let operation = Operation::Write((at + i64::from(bytes) - size).max(0) as u64);
    let verdict = step(operation);
    if verdict == Verdict::Fail && bytes > 1 {
        // A torn write: the first half has reached the disk.
        pass!(file, xWrite, from, bytes / 2, at);
    }
    if let Some(code) = code(verdict, ffi::SQLITE_IOERR_WRITE) {
        return code;
    }
    let code = pass!(file, xWrite, from, bytes, at);
    told(operation, file);
    code
}

unsafe extern "C" fn truncate(file: *mut sqlite3_file, bytes: sqlite3_int64) -> c_int {
    if let Some(code) = code(step(Operation::Truncate), ffi::SQLITE_IOERR_TRUNCATE) {
        return code;
    }
    pass!(file, xTruncate, bytes)
}

unsafe extern "C" fn sync(file: *mut sqlite3_file, flags: c_int) -> c_int {
    if let Some(code) = code(step(Operation::Sync), ffi::SQLITE_IOERR_FSYNC) {
        return code;
    }
    if !is_ruled() {
        return pass!(file, xSync, flags);
    }
    told(Operation::Sync, file);
    // SAFETY: as in `path`.
    let is_new_journal = unsafe { std::mem::take(&mut (*file.cast::<FaultFile>()).is_new_journal) };
    if let Some(path) = path(file).filter(|_| is_new_journal) {
        done(Operation::SyncFolder, path.parent().unwrap_or(path));
    }
    ffi::SQLITE_OK
}

unsafe extern "C" fn file_size(file: *mut sqlite3_file, bytes: *mut sqlite3_int64) -> c_int {
    pass!(file, xFileSize, bytes)
}

unsafe extern "C" fn lock(file: *mut sqlite3_file, level: c_int) -> c_int {
    pass!(file, xLock, level)
}

unsafe extern "C" fn unlock(file: *mut sqlite3_file, level: c_int) -> c_int {
    pass!(file, xUnlock, level)
}

unsafe extern "C" fn check_reserved_lock(file: *mut sqlite3_file, is_reserved: *mut c_int) -> c_int {
    pass!(file, xCheckReservedLock, is_reserved)
}

unsafe extern "C" fn file_control(file: *mut sqlite3_file, operation: c_int, argument: *mut c_void) -> c_int {
    pass!(file, xFileControl, operation, argument)
}

unsafe extern "C" fn sector_size(file: *mut sqlite3_file) -> c_int {
    pass!(file, xSectorSize)
}

unsafe extern "C" fn device_characteristics(file: *mut sqlite3_file) -> c_int {
    pass!(file, xDeviceCharacteristics)
}

unsafe extern "C" fn shm_map(
    file: *mut sqlite3_file,
    page: c_int,
    bytes: c_int,
    extend: c_int,
    mapped: *mut *mut c_void,
) -> c_int {
    pass!(file, xShmMap, page, bytes, extend, mapped)
}

unsafe extern "C" fn shm_lock(file: *mut sqlite3_file, offset: c_int, count: c_int, flags: c_int) -> c_int {
    pass!(file, xShmLock, offset, count, flags)
}

unsafe extern "C" fn shm_barrier(file: *mut sqlite3_file) {
    pass!(file, xShmBarrier);
}

unsafe extern "C" fn shm_unmap(file: *mut sqlite3_file, delete: c_int) -> c_int {
    pass!(file, xShmUnmap, delete)
}

/// Version 2: with shared memory for a WAL, without a memory map, which would write past the script.
static METHODS: sqlite3_io_methods = sqlite3_io_methods {
    iVersion: 2,
    xClose: Some(close),
    xRead: Some(read),
    xWrite: Some(write),
    xTruncate: Some(truncate),
    xSync: Some(sync),
    xFileSize: Some(file_size),
    xLock: Some(lock),
    xUnlock: Some(unlock),
    xCheckReservedLock: Some(check_reserved_lock),
    xFileControl: Some(file_control),
    xSectorSize: Some(sector_size),
    xDeviceCharacteristics: Some(device_characteristics),
    xShmMap: Some(shm_map),
    xShmLock: Some(shm_lock),
    xShmBarrier: Some(shm_barrier),
    xShmUnmap: Some(shm_unmap),
    xFetch: None,
    xUnfetch: None,
};
