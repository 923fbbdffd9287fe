//! Reads a database and its WAL where they lie: both are opened read-only, SQLite's locks are not taken, its `-shm`
//! is kept in memory, and nothing is ever removed.

use std::ffi::{CStr, c_char, c_int};
use std::path::Path;
use std::sync::Once;

use rusqlite::ffi::{self, sqlite3_file, sqlite3_vfs};
use rusqlite::{Connection, OpenFlags};

const NAME: &CStr = c"rex-overlay";

/// SQLite's own VFS without locks, which does the work.
const BASE: &CStr = c"unix-none";

/// Opens a store for reading in place.
pub(super) fn open(file: &Path) -> rusqlite::Result<Connection> {
    static REGISTERED: Once = Once::new();
    REGISTERED.call_once(register);
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags_and_vfs(file, flags, NAME)?;
    // Before the first read: the index of the WAL is then kept in memory, and locks are not asked for.
    connection.execute_batch("PRAGMA locking_mode = EXCLUSIVE")?;
    Ok(connection)
}

#[expect(unsafe_code, reason = "SQLite takes a VFS as a C struct only")]
fn register() {
    // SAFETY: a registered VFS lives as long as SQLite, and its struct may be copied.
    let Some(base) = (unsafe { ffi::sqlite3_vfs_find(BASE.as_ptr()).as_ref() }) else {
        return;
    };
    let overlay = sqlite3_vfs {
        zName: NAME.as_ptr(),
        pNext: std::ptr::null_mut(),
        xOpen: Some(open_file),
        xDelete: Some(delete_nothing),
        ..*base
    };
    // SAFETY: the struct is leaked, so SQLite may keep it for ever; it does not become the default.
    // If it cannot be registered, opening under its name fails and says so.
    let _code = unsafe { ffi::sqlite3_vfs_register(Box::into_raw(Box::new(overlay)), 0) };
}

/// The database is opened for reading only because the connection is; a WAL SQLite would open to write.
#[expect(unsafe_code, reason = "SQLite calls a VFS through C pointers only")]
unsafe extern "C" fn open_file(
    _overlay: *mut sqlite3_vfs,
    name: ffi::sqlite3_filename,
    file: *mut sqlite3_file,
    flags: c_int,
    flags_out: *mut c_int,
) -> c_int {
    let writing = ffi::SQLITE_OPEN_READWRITE | ffi::SQLITE_OPEN_CREATE;
    let is_wal = flags & ffi::SQLITE_OPEN_WAL != 0;
    let flags = if is_wal {
        flags & !writing | ffi::SQLITE_OPEN_READONLY
    } else {
        flags
    };
    // SAFETY: a registered VFS lives as long as SQLite; the arguments are SQLite's own and are passed on unchanged.
    unsafe {
        let base = ffi::sqlite3_vfs_find(BASE.as_ptr());
        match base.as_ref().and_then(|base| base.xOpen) {
            Some(open) => open(base, name, file, flags, flags_out),
            None => ffi::SQLITE_CANTOPEN,
        }
    }
}

/// SQLite removes a WAL that it thinks done with. Temporary files are gone as soon as they are open, without this.
#[expect(unsafe_code, reason = "SQLite calls a VFS through C pointers only")]
unsafe extern "C" fn delete_nothing(_overlay: *mut sqlite3_vfs, _name: *const c_char, _sync: c_int) -> c_int {
    ffi::SQLITE_OK
}
